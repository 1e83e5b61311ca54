package ipc_test

import (
	"context"
	"errors"
	"fmt"

	"hotpath/impl/ipc"
)

// A table in memory, served and read.
func Example() {
	table := map[string][]byte{}
	server := &ipc.Server{Services: map[string]ipc.Service{"Table": {
		"Put": {NonBlocking: true, Handle: func(c *ipc.Call) error {
			for _, kv := range c.Cells() {
				cell, err := ipc.ParseKeyValue(kv)
				if err != nil {
					return err
				}
				table[string(cell.Row)] = append([]byte(nil), kv...) // the call's bytes die with it
			}
			return nil
		}},
		"Get": {NonBlocking: true, Handle: func(c *ipc.Call) error {
			kv, ok := table[string(c.Param())]
			if !ok {
				return fmt.Errorf("no row %q", c.Param())
			}
			c.AddCell(kv)
			return nil
		}},
	}}}
	ln, err := ipc.Listen("")
	if err != nil {
		fmt.Println(err)
		return
	}
	go server.Serve(ln)
	defer server.Close()

	ctx := context.Background()
	client, err := ipc.Dialer{Service: "Table"}.Dial(ctx, ln.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	put := ipc.Cell{Row: []byte("r1"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 1, Type: 4, Value: []byte("hello")}
	if err := client.Call(ctx, "Put", nil, []ipc.KeyValue{put.AppendTo(nil)}, nil); err != nil {
		fmt.Println(err)
	}
	var answer ipc.Response // used again, it takes no new memory
	if err := client.Call(ctx, "Get", []byte("r1"), nil, &answer); err != nil {
		fmt.Println(err)
	}
	for kv := range answer.Cells() {
		cell, err := ipc.ParseKeyValue(kv)
		fmt.Printf("%s %s:%s %s %v\n", cell.Row, cell.Family, cell.Qualifier, cell.Value, err)
	}
	err = client.Call(ctx, "Get", []byte("r2"), nil, &answer)
	if e, ok := errors.AsType[*ipc.Exception](err); ok {
		fmt.Println(e.Class, e)
	}
	// Output:
	// r1 f:q hello <nil>
	// java.io.IOException java.io.IOException: no row "r2"
}
