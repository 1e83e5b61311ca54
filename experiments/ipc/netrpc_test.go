package ipc_test

import (
	"net"
	"net/rpc"

	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// GobMessage is what net/rpc carries; gob needs the type and its fields exported.
type GobMessage struct {
	Text  string
	Cells [][]byte
}

// GobEcho is the service.
type GobEcho struct{}

// Echo answers what it is sent.
func (GobEcho) Echo(in, out *GobMessage) error {
	*out = *in
	return nil
}

var netRPCSystem = system{
	Row: contest.Row{Name: "netrpc", Role: bench.Peer, About: "The standard library's net/rpc, with gob."},
	in:  contest.InLadder | contest.InLoad | contest.InTimed,
	serve: func(l net.Listener) (server, error) {
		s := rpc.NewServer()
		if err := s.Register(GobEcho{}); err != nil {
			return server{}, err
		}
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return // stopped
				}
				go s.ServeConn(conn)
			}
		}()
		return server{stop: func() { l.Close() }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn, err := rpc.Dial("tcp", addr)
		if err != nil {
			return client{}, err
		}
		return client{
			caller: func(e echo) caller {
				request := &GobMessage{e.text, e.cells}
				last := new(GobMessage)
				return caller{
					call: func() error {
						*last = GobMessage{} // gob decodes over what is there
						if err := conn.Call("GobEcho.Echo", request, last); err != nil {
							return err
						}
						return e.count(len(last.Cells))
					},
					answer: func() (echo, error) { return echo{last.Text, last.Cells}, nil },
				}
			},
			close: func() { conn.Close() },
		}, nil
	},
}
