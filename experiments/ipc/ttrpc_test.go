package ipc_test

import (
	"context"
	"net"

	"github.com/containerd/ttrpc"

	"hotpath/experiments/ipc/echopb"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

var ttrpcSystem = system{
	Row: contest.Row{Name: "ttrpc", Role: bench.Peer, About: "containerd/ttrpc, protobuf in one frame for each message."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		s, err := ttrpc.NewServer()
		if err != nil {
			return server{}, err
		}
		echopb.RegisterTTRPCEchoService(s, echoServer{})
		go s.Serve(context.Background(), l)
		return server{stop: func() { s.Close() }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return client{}, err
		}
		c := ttrpc.NewClient(conn)
		return client{
			caller: func(e echo) caller { return protoCaller(e, echopb.NewTTRPCEchoClient(c).Echo) },
			close:  func() { c.Close() },
		}, nil
	},
}
