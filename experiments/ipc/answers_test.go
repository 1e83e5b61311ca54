package ipc_test

import (
	"fmt"
	"net"
	"sync"
	"testing"
)

// TestAnswers lets every contestant carry calls that differ from caller to
// caller and from call to call, over one connection and over many: each must be
// answered with what it sent.
func TestAnswers(t *testing.T) {
	for _, s := range contestants() {
		t.Run(s.Name, func(t *testing.T) {
			t.Run("conns=1/depth=1", func(t *testing.T) { testAnswers(t, s, 1, 1) })
			t.Run("conns=16/depth=1", func(t *testing.T) { testAnswers(t, s, 16, 1) })
			if !s.oneCall {
				t.Run("conns=1/depth=8", func(t *testing.T) { testAnswers(t, s, 1, 8) })
			}
		})
	}
}

// TestStudyAnswers does so with the client of the published run, which makes one
// call at a time.
func TestStudyAnswers(t *testing.T) {
	for _, s := range study() {
		t.Run(s.Name, func(t *testing.T) { testAnswers(t, s, 1, 1) })
	}
}

func testAnswers(t *testing.T, s system, conns, depth int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv, err := s.serve(l)
	if err != nil {
		t.Fatal(err)
	}
	defer srv.stop()
	var callers sync.WaitGroup
	for i := range conns {
		c, err := s.dial(l.Addr().String(), depth)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		for j := range depth {
			callers.Go(func() {
				// Empty, small and large values, and texts of all lengths.
				for k, size := range []int{0, 100, 10240, 40, 10240} {
					who := i*depth + j
					e := newEcho(fmt.Sprintf("%0*d", who+k, who), 10-k%2, size, byte(1+who))
					caller := c.caller(e)
					for range 2 {
						if err := caller.call(); err != nil {
							t.Errorf("size %d: %v", size, err)
							return
						}
						answer, err := caller.answer()
						if err == nil {
							err = e.differs(answer)
						}
						if err != nil {
							t.Errorf("size %d: %v", size, err)
							return
						}
					}
				}
			})
		}
	}
	callers.Wait()
}
