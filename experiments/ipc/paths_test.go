package ipc_test

import (
	"context"
	"fmt"
	"net"
	"slices"

	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/internal/contest"
	"hotpath/internal/measure"
)

// roles are those of the contestants that are neither peers nor ours alone.
var roles = map[string]measure.Role{
	"floor": measure.Floor, "before": measure.Published, "after": measure.Published, "before_again": measure.Control,
}

func (s system) role() measure.Role {
	switch role, ok := roles[s.name]; {
	case ok:
		return role
	case slices.ContainsFunc(peers, func(p system) bool { return p.name == s.name }):
		return measure.Peer
	default:
		return measure.Ours
	}
}

// ladder is the floor and all our response paths, called by our own client.
var ladder = slices.Concat([]system{floorSystem}, paths(dialFast,
	"before", "oneframe", "direct", "after", "presize", "pooledblock", "views", "onecopy", "pooled", "worker"))

// study is the published run and what we make of it, called as the study did.
var study = paths(dialStudy, "before", "after", "pooled", "before_again")

func systems() []system { return slices.Concat(ladder, peers) }

// find returns the contestant of that name, whose server is the same whoever
// calls it.
func find(name string) (system, error) {
	for _, s := range slices.Concat(systems(), study) {
		if s.name == name {
			return s, nil
		}
	}
	return system{}, fmt.Errorf("no contestant %q", name)
}

// choose returns those of the names.
func choose(names ...string) []system {
	var chosen []system
	for _, s := range systems() {
		if slices.Contains(names, s.name) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// ipcClient is what the measured client and the study's have in common.
type ipcClient interface {
	Call(ctx context.Context, method string, param []byte, cells []ipc.KeyValue, resp *ipc.Response) error
	Close() error
}

func dialFast(addr string) (ipcClient, error) { return ipc.Dialer{}.Dial(context.Background(), addr) }

func dialStudy(addr string) (ipcClient, error) {
	return ipc.Dialer{}.DialStudy(context.Background(), addr)
}

// paths are rows of contest.Paths with a client.
func paths(dial func(addr string) (ipcClient, error), names ...string) []system {
	var all []system
	for _, p := range contest.Paths {
		if !slices.Contains(names, p.Name) {
			continue
		}
		all = append(all, system{
			name: p.Name,
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
					close:  func() { c.Close() },
				}, nil
			},
		})
	}
	return all
}

func pathCaller(c ipcClient, e echo) caller {
	ctx := context.Background()
	param, err := proto.Marshal(&pb.EchoRequest{Message: &e.text})
	var kvs []ipc.KeyValue
	block := 0
	for _, cell := range e.cells {
		kvs = append(kvs, cell)
		block += 4 + len(cell)
	}
	last := new(ipc.Response)
	return caller{
		call: func() error {
			if err != nil {
				return err
			}
			if err := c.Call(ctx, "echo", param, kvs, last); err != nil {
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
