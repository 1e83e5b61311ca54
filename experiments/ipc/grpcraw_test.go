package ipc_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"hotpath/experiments/ipc/echopb"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// rawCodec carries messages as the buffers that grpc-go received, without
// looking into them: no server on grpc-go can do less.
type rawCodec struct{}

func (rawCodec) Name() string { return "raw" }

func (rawCodec) Marshal(v any) (mem.BufferSlice, error) { return *v.(*mem.BufferSlice), nil }

// Unmarshal keeps the buffers: whoever is given them frees them, or passes them
// on to Marshal.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	data.Ref()
	*v.(*mem.BufferSlice) = data
	return nil
}

var rawEcho = grpc.ServiceDesc{
	ServiceName: "hotpath.raw.Echo",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "Echo",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			m := new(mem.BufferSlice)
			return m, decode(m)
		},
	}},
}

var grpcRawSystem = system{
	Row: contest.Row{Name: "grpcraw", Role: bench.Peer, Rival: true, About: "grpc-go without protobuf: the buffers that it received are the answer."},
	in:  contest.InLadder | contest.InLoad | contest.InTimed,
	serve: func(l net.Listener) (server, error) {
		s := grpc.NewServer(grpcServerOptions(grpc.ForceServerCodecV2(rawCodec{}))...)
		s.RegisterService(&rawEcho, nil)
		go s.Serve(l)
		return server{stop: s.Stop}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		conn, err := dialGRPC(addr, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(rawCodec{})))
		if err != nil {
			return client{}, err
		}
		return client{
			caller: func(e echo) caller { return rawCaller(conn, e) },
			close:  func() { conn.Close() },
		}, nil
	},
}

// rawCaller sends a message that was encoded once, and leaves the answer
// encoded.
func rawCaller(conn *grpc.ClientConn, e echo) caller {
	ctx := context.Background()
	encoded, err := proto.Marshal(&echopb.Message{Text: e.text, Cells: e.cells})
	request := mem.BufferSlice{mem.SliceBuffer(encoded)}
	var last mem.BufferSlice
	return caller{
		call: func() error {
			if err != nil {
				return err
			}
			last.Free()
			last = nil
			if err := conn.Invoke(ctx, "/hotpath.raw.Echo/Echo", &request, &last); err != nil {
				return err
			}
			if n := last.Len(); n != len(encoded) {
				return fmt.Errorf("answer of %d bytes, want %d", n, len(encoded))
			}
			return nil
		},
		answer: func() (echo, error) {
			m := new(echopb.Message)
			err := proto.Unmarshal(last.Materialize(), m)
			return echo{m.Text, m.Cells}, err
		},
	}
}
