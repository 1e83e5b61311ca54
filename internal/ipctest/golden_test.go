package ipctest

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"

	"hotpath/impl/ipc"
	"hotpath/internal/ipctest/clientpb"
)

// The bytes that gohbase (github.com/tsuna/gohbase, commit cfe2cb9) sends to a
// region server: its greeting, a put of one cell, and a get of the same row.
var (
	goldenHello = unhex("484261730050 00000044 0a060a04726f6f74 120d436c69656e7453657276696365" +
		"1a2b6f72672e6170616368652e6861646f6f702e68626173652e636f6465632e4b657956616c7565436f646563")
	goldenKeyValue = unhex("0000000f 00000001 0001 72 01 66 71 0000000000000001 04 76")
	goldenMutate   = append(unhex("00000048 10 08011a064d757461746520012a02081c"+
		"1a 0a0b08011207742c2c312e612e 120b0a01721002200130004001 00000018"), goldenKeyValue...)
	goldenGet = unhex("0000001f 09 0802 1a03476574 2001 14 0a0b08011207742c2c312e612e 12050a01722a00")
)

func TestGolden(t *testing.T) {
	var rows table
	services := rows.services()
	type seen struct {
		user, method, param string
		codec               bool
		cells               []ipc.KeyValue
	}
	var calls []seen
	for name, m := range services["ClientService"] {
		handle := m.Handle
		m.Handle = func(c *ipc.Call) error {
			s := seen{c.User(), c.Method(), string(c.Param()), c.HasCodec(), nil}
			for _, kv := range c.Cells() {
				s.cells = append(s.cells, bytes.Clone(kv))
			}
			calls = append(calls, s)
			return handle(c)
		}
		m.NonBlocking = true // one goroutine, so calls needs no lock
		services["ClientService"][name] = m
	}
	addr := start(t, &ipc.Server{Services: services})
	p := dial(t, addr, goldenHello, goldenMutate, goldenGet)

	a, err := p.read()
	if err != nil {
		t.Fatal(err)
	}
	var put clientpb.MutateResponse
	if err := proto.Unmarshal(a.message, &put); err != nil || a.id() != 1 || !put.GetProcessed() {
		t.Errorf("put: %v, %v, %v", a.head, &put, err)
	}
	if a, err = p.read(); err != nil {
		t.Fatal(err)
	}
	var got clientpb.GetResponse
	if err := proto.Unmarshal(a.message, &got); err != nil || a.id() != 2 || got.GetResult().GetAssociatedCellCount() != 1 {
		t.Errorf("get: %v, %v, %v", a.head, &got, err)
	}
	if !bytes.Equal(a.block, prefixed(goldenKeyValue)) {
		t.Errorf("get: cell block %x, want %x", a.block, prefixed(goldenKeyValue))
	}

	p.Close()
	if len(calls) != 2 || len(calls[0].cells) != 1 || len(calls[1].cells) != 0 {
		t.Fatalf("the server saw %+v", calls)
	}
	for i, method := range []string{"Mutate", "Get"} {
		if c := calls[i]; c.user != "root" || c.method != method || !c.codec {
			t.Errorf("call %d: %+v", i, c)
		}
	}
	if !bytes.Equal(calls[0].cells[0], goldenKeyValue) {
		t.Errorf("put: cell %x, want %x", calls[0].cells[0], goldenKeyValue)
	}
	var mutate clientpb.MutateRequest
	if err := proto.Unmarshal([]byte(calls[0].param), &mutate); err != nil || string(mutate.GetRegion().GetValue()) != "t,,1.a." ||
		string(mutate.GetMutation().GetRow()) != "r" || mutate.GetMutation().GetMutateType() != 2 || mutate.GetMutation().GetAssociatedCellCount() != 1 {
		t.Errorf("put: param %v, %v", &mutate, err)
	}
	var get clientpb.GetRequest
	if err := proto.Unmarshal([]byte(calls[1].param), &get); err != nil || string(get.GetGet().GetRow()) != "r" {
		t.Errorf("get: param %v, %v", &get, err)
	}
}
