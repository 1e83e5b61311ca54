package ipc_test

import (
	"net"
	"net/http"

	"connectrpc.com/connect"

	"hotpath/experiments/ipc/echopb/echopbconnect"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

var connectSystem = system{
	Row: contest.Row{Name: "connect", Role: bench.Peer, About: "connectrpc, protobuf over the HTTP/2 of net/http."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		mux := http.NewServeMux()
		mux.Handle(echopbconnect.NewEchoHandler(echoServer{}))
		s := &http.Server{Handler: mux, Protocols: h2c()}
		go s.Serve(l)
		return server{stop: func() { s.Close() }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		t := &http.Transport{Protocols: h2c()}
		c := echopbconnect.NewEchoClient(&http.Client{Transport: t}, "http://"+addr,
			connect.WithAcceptCompression("gzip", nil, nil)) // nobody else compresses
		return client{
			caller: func(e echo) caller { return protoCaller(e, c.Echo) },
			close:  t.CloseIdleConnections,
		}, nil
	},
}

// h2c is HTTP/2 without TLS, and nothing else.
func h2c() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}
