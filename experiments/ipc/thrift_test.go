package ipc_test

import (
	"context"
	"net"

	"github.com/apache/thrift/lib/go/thrift"

	"hotpath/experiments/ipc/echothrift"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

var (
	thriftConf   = &thrift.TConfiguration{}
	thriftFrames = thrift.NewTFramedTransportFactoryConf(thrift.NewTTransportFactory(), thriftConf)
	thriftBinary = thrift.NewTBinaryProtocolFactoryConf(thriftConf)
)

type thriftEcho struct{}

func (thriftEcho) Echo(_ context.Context, m *echothrift.Message) (*echothrift.Message, error) {
	return m, nil
}

// thriftListener is a TServerSocket on a listener that is there already.
type thriftListener struct{ net.Listener }

func (thriftListener) Listen() error      { return nil }
func (l thriftListener) Interrupt() error { return l.Close() }

func (l thriftListener) Accept() (thrift.TTransport, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return thrift.NewTSocketFromConnConf(conn, thriftConf), nil
}

var thriftSystem = system{
	Row: contest.Row{Name: "thrift", Role: bench.Peer, About: "Apache Thrift's binary protocol in frames, as HBase's gateway speaks it."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		s := thrift.NewTSimpleServer4(echothrift.NewEchoProcessor(thriftEcho{}), thriftListener{l}, thriftFrames, thriftBinary)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.Serve()
		}()
		return server{stop: func() { s.Stop(); <-ended }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn := thrift.NewTFramedTransportConf(thrift.NewTSocketConf(addr, thriftConf), thriftConf)
		if err := conn.Open(); err != nil {
			return client{}, err
		}
		c := echothrift.NewEchoClientFactory(conn, thriftBinary)
		return client{
			caller: func(e echo) caller { return thriftCaller(e, c) },
			close:  func() { conn.Close() },
		}, nil
	},
	oneCall: true,
}

func thriftCaller(e echo, c *echothrift.EchoClient) caller {
	ctx := context.Background()
	request := &echothrift.Message{Text: e.text, Cells: e.cells}
	var last *echothrift.Message
	return caller{
		call: func() error {
			m, err := c.Echo(ctx, request)
			if err != nil {
				return err
			}
			last = m
			return e.count(len(m.Cells))
		},
		answer: func() (echo, error) { return echo{last.Text, last.Cells}, nil },
	}
}
