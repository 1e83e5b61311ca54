package ipc_test

import (
	"context"
	"fmt"
	"net"
	"slices"

	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
	"hotpath/internal/contest"
)

// contestants are all that another process serves: the floor and our paths,
// called by our own client, and the peers.
func contestants() []system {
	return slices.Concat([]system{floorSystem}, paths(dialFast, func(p contest.Path) bool { return p.In != contest.InStudy }), peers)
}

// study is the published run and what we make of it, called as the study did.
func study() []system {
	return paths(dialStudy, func(p contest.Path) bool { return p.In&contest.InStudy != 0 })
}

// in returns the contestants that take part in a block.
func in(b contest.Blocks) []system {
	return slices.DeleteFunc(contestants(), func(s system) bool { return s.in&b == 0 })
}

// find returns the contestant of that name, whose server is the same whoever
// calls it.
func find(name string) (system, error) {
	for _, s := range slices.Concat(contestants(), study()) {
		if s.Name == name {
			return s, nil
		}
	}
	return system{}, fmt.Errorf("no contestant %q", name)
}

// ipcClient makes calls of echo. request prepares what its calls send.
type ipcClient struct {
	request func(param []byte, cells []ipc.KeyValue) (call func(*ipc.Response) error)
	close   func() error
}

// dialFast has the cells encoded before the calls, as the floor has its frame.
func dialFast(addr string) (ipcClient, error) {
	ctx := context.Background()
	c, err := ipc.Dialer{Service: steps.EchoName}.Dial(ctx, addr)
	return ipcClient{func(param []byte, cells []ipc.KeyValue) func(*ipc.Response) error {
		block := ipc.AppendBlock(nil, cells...)
		return func(to *ipc.Response) error { return c.CallBlock(ctx, "echo", param, block, to) }
	}, c.Close}, err
}

// dialStudy encodes them in every call.
func dialStudy(addr string) (ipcClient, error) {
	ctx := context.Background()
	c, err := steps.Dial(ctx, addr)
	return ipcClient{func(param []byte, cells []ipc.KeyValue) func(*ipc.Response) error {
		return func(to *ipc.Response) error { return c.Call(ctx, "echo", param, cells, to) }
	}, c.Close}, err
}

// paths are those rows of contest.Paths that are wanted, with a client.
func paths(dial func(addr string) (ipcClient, error), wanted func(contest.Path) bool) []system {
	var all []system
	for _, p := range contest.Paths {
		if !wanted(p) {
			continue
		}
		all = append(all, system{
			Row: p.Row,
			in:  p.In,
			serve: func(l net.Listener) (server, error) {
				s := p.Server()
				go s.Serve(l)
				return server{
					stop: func() { s.Close() },
					path: func() pathUse {
						stats := s.Stats()
						return pathUse{stats.Calls, stats.Copied, stats.Allocated}
					},
				}, nil
			},
			dial: func(addr string, _ int) (client, error) {
				c, err := dial(addr)
				if err != nil {
					return client{}, err
				}
				return client{
					caller: func(e echo) caller { return pathCaller(c, e) },
					close:  func() { c.close() },
				}, nil
			},
		})
	}
	return all
}

func pathCaller(c ipcClient, e echo) caller {
	param, err := proto.Marshal(&pb.EchoRequest{Message: &e.text})
	var kvs []ipc.KeyValue
	block := 0
	for _, cell := range e.cells {
		kvs = append(kvs, cell)
		block += 4 + len(cell)
	}
	send := c.request(param, kvs)
	last := new(ipc.Response)
	return caller{
		call: func() error {
			if err != nil {
				return err
			}
			if err := send(last); err != nil {
				return err
			}
			if n := len(last.Block); n != block {
				return fmt.Errorf("cell block of %d bytes, want %d", n, block)
			}
			return nil
		},
		answer: func() (echo, error) {
			var m pb.EchoResponse
			err := proto.Unmarshal(last.Message, &m)
			answer := echo{text: m.GetMessage()}
			for kv := range last.Cells() {
				answer.cells = append(answer.cells, kv)
			}
			return answer, err
		},
	}
}
