package ipc

import (
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener of connections in memory, whose waiting the clock of a
// synctest bubble can skip.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newPipes() pipes {
	closed := make(chan struct{})
	return pipes{make(chan net.Conn), closed, sync.OnceFunc(func() { close(closed) })}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case nc := <-p.conns:
		return nc, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { p.close(); return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestTimeouts opens connections that wait in one way each and measures, on a
// clock that skips the waiting, when the server closes them.
func TestTimeouts(t *testing.T) {
	const idleLimit, readLimit, writeLimit = 24 * time.Hour, time.Hour, 10 * time.Minute
	big := studyCells(10, 100_000)
	for _, tt := range []struct {
		name  string
		limit time.Duration // 0: never
		do    func(nc net.Conn)
	}{
		{"handshake", readLimit, func(nc net.Conn) { nc.Write([]byte("HBa")) }},
		{"idle", idleLimit, func(nc net.Conn) { echoDialer.hello(nc) }},
		{"idle after a call", idleLimit, func(nc net.Conn) {
			echoDialer.hello(nc)
			nc.Write(requestBytes(1, studyMessage, nil))
			io.ReadFull(nc, make([]byte, len(answerBytes(1, studyMessage, nil))))
		}},
		{"begun", readLimit, func(nc net.Conn) {
			echoDialer.hello(nc)
			nc.Write(requestBytes(1, studyMessage, big)[:100_000])
		}},
		{"not read from", writeLimit, func(nc net.Conn) {
			echoDialer.hello(nc)
			nc.Write(requestBytes(1, studyMessage, nil))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, nonBlocking := range []bool{true, false} {
				synctest.Test(t, func(t *testing.T) {
					s := echoServer(nonBlocking)
					s.IdleTimeout, s.ReadTimeout, s.WriteTimeout = idleLimit, readLimit, writeLimit
					ln := newPipes()
					served := make(chan error)
					go func() { served <- s.Serve(ln) }()
					client, server := net.Pipe()
					ln.conns <- server
					tt.do(client)
					from := time.Now()
					for s.Stats().TimedOut == 0 && time.Since(from) < 2*tt.limit {
						time.Sleep(writeLimit / 100)
					}
					if took := time.Since(from); took < tt.limit || took > tt.limit*5/4+writeLimit/50 {
						t.Errorf("closed after %v, the limit is %v", took, tt.limit)
					}
					client.Close()
					s.Close()
					<-served
				})
			}
		})
	}
}

// TestSlowButAlive sends a request, and takes its answer, for much longer than
// the timeouts, but never stops for long.
func TestSlowButAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := echoServer(true)
		s.ReadTimeout, s.WriteTimeout = time.Minute, time.Minute
		ln := newPipes()
		served := make(chan error)
		go func() { served <- s.Serve(ln) }()
		client, server := net.Pipe()
		ln.conns <- server
		echoDialer.hello(client)
		cells := studyCells(10, 100_000)
		request, answer := requestBytes(1, studyMessage, cells), answerBytes(1, studyMessage, cells)
		for len(request) > 0 {
			n := min(len(request), progressBytes)
			client.Write(request[:n])
			if request = request[n:]; len(request) > 0 {
				time.Sleep(50 * time.Second)
			}
		}
		got := make([]byte, len(answer))
		for at := 0; at < len(got); {
			n, err := client.Read(got[at:min(len(got), at+writeChunk)])
			if err != nil {
				t.Fatalf("%v after %d of %d bytes, %d timeouts", err, at, len(got), s.Stats().TimedOut)
			}
			at += n
			time.Sleep(25 * time.Second) // a pipe takes a head by itself
		}
		if string(got) != string(answer) {
			t.Error("wrong answer")
		}
		client.Close()
		s.Close()
		<-served
	})
}

// TestWaitsForHandler makes a call that takes longer than a connection may be
// idle.
func TestWaitsForHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{IdleTimeout: time.Minute, Services: map[string]Service{echoName: {"ping": {Handle: func(*Call) error {
			time.Sleep(time.Hour)
			return nil
		}}}}}
		ln := newPipes()
		served := make(chan error)
		go func() { served <- s.Serve(ln) }()
		client, server := net.Pipe()
		ln.conns <- server
		c, err := echoDialer.Client(client)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Call(t.Context(), "ping", nil, nil, nil); err != nil {
			t.Error(err)
		}
		c.Close()
		s.Close()
		<-served
	})
}
