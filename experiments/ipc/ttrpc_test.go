package ipc_test

import (
	"context"
	"net"

	"github.com/containerd/ttrpc"

	"hotpath/experiments/ipc/echopb"
)

var ttrpcSystem = system{
	name: "ttrpc",
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
