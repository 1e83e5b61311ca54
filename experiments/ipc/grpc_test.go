package ipc_test

import (
	"context"
	"net"
	"runtime"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"hotpath/experiments/ipc/echopb"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// grpc-go is tuned for messages of 100 kB and few connections: windows that hold
// whole messages, buffers that take several frames, workers that keep their
// stacks.
const (
	grpcWindow = 4 << 20
	grpcBuffer = 128 << 10
)

func grpcServerOptions(more ...grpc.ServerOption) []grpc.ServerOption {
	return append(more,
		grpc.InitialWindowSize(grpcWindow), grpc.InitialConnWindowSize(grpcWindow),
		grpc.ReadBufferSize(grpcBuffer), grpc.WriteBufferSize(grpcBuffer),
		grpc.NumStreamWorkers(uint32(runtime.GOMAXPROCS(0))))
}

func dialGRPC(addr string, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient("passthrough:///"+addr, append(more,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithInitialWindowSize(grpcWindow), grpc.WithInitialConnWindowSize(grpcWindow),
		grpc.WithReadBufferSize(grpcBuffer), grpc.WithWriteBufferSize(grpcBuffer))...)
}

var grpcSystem = system{
	Row: contest.Row{Name: "grpc", Role: bench.Peer, About: "grpc-go with protobuf, its windows and buffers enlarged."},
	in:  contest.InLadder | contest.InLoad | contest.InTimed | contest.InOpen,
	serve: func(l net.Listener) (server, error) {
		s := grpc.NewServer(grpcServerOptions()...)
		echopb.RegisterEchoServer(s, echoServer{})
		go s.Serve(l)
		return server{stop: s.Stop}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn, err := dialGRPC(addr)
		if err != nil {
			return client{}, err
		}
		c := echopb.NewEchoClient(conn)
		return client{
			caller: func(e echo) caller {
				return protoCaller(e, func(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
					return c.Echo(ctx, m)
				})
			},
			close: func() { conn.Close() },
		}, nil
	},
}
