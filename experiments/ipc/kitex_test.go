package ipc_test

import (
	"context"
	"net"
	"time"

	kitexclient "github.com/cloudwego/kitex/client"
	"github.com/cloudwego/kitex/pkg/connpool"
	"github.com/cloudwego/kitex/pkg/klog"
	remotepool "github.com/cloudwego/kitex/pkg/remote/connpool"
	kitexserver "github.com/cloudwego/kitex/server"
	"github.com/cloudwego/kitex/transport"

	"hotpath/experiments/ipc/echothrift/echokitex"
	kitex "hotpath/experiments/ipc/echothrift/echokitex/echo"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

type kitexEcho struct{}

func (*kitexEcho) Echo(_ context.Context, m *echokitex.Message) (*echokitex.Message, error) {
	return m, nil
}

var kitexSystem = system{
	Row: contest.Row{Name: "kitex", Role: bench.Peer, About: "CloudWeGo's Kitex: framed Thrift over netpoll."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		klog.SetLevel(klog.LevelError) // it reports each start
		quit, ended := make(chan error), make(chan struct{})
		s := kitex.NewServer(new(kitexEcho), kitexserver.WithListener(l),
			kitexserver.WithExitSignal(func() <-chan error { return quit })) // else it takes this process's signals
		go func() {
			defer close(ended)
			s.Run()
		}()
		return server{stop: func() { close(quit); <-ended }, sends: true}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		// The generated client does not close its connection; a pool of ours does.
		pool := remotepool.NewLongPool("echo", connpool.IdleConfig{MaxIdlePerAddress: 1, MaxIdleGlobal: 1, MaxIdleTimeout: time.Hour})
		c, err := kitex.NewClient("echo", kitexclient.WithHostPorts(addr),
			kitexclient.WithTransportProtocol(transport.Framed), kitexclient.WithConnPool(pool))
		if err != nil {
			return client{}, err
		}
		return client{
			caller: func(e echo) caller { return kitexCaller(e, c) },
			close:  func() { pool.Close() },
		}, nil
	},
	oneCall: true,
}

func kitexCaller(e echo, c kitex.Client) caller {
	ctx := context.Background()
	request := &echokitex.Message{Text: e.text, Cells: e.cells}
	var last *echokitex.Message
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
