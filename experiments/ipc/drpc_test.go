package ipc_test

import (
	"context"
	"net"

	"storj.io/drpc/drpcconn"
	"storj.io/drpc/drpcmux"
	"storj.io/drpc/drpcserver"

	"hotpath/experiments/ipc/echopb"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

var drpcSystem = system{
	Row: contest.Row{Name: "drpc", Role: bench.Peer, About: "storj.io/drpc, protobuf over its own framing."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		mux := drpcmux.New()
		if err := echopb.DRPCRegisterEcho(mux, echoServer{}); err != nil {
			return server{}, err
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			drpcserver.New(mux).Serve(ctx, l)
		}()
		return server{stop: func() { cancel(); <-ended }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return client{}, err
		}
		d := drpcconn.New(conn)
		return client{
			caller: func(e echo) caller { return protoCaller(e, echopb.NewDRPCEchoClient(d).Echo) },
			close:  func() { d.Close() },
		}, nil
	},
	oneCall: true,
}
