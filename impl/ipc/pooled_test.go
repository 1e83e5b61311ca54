package ipc

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"hotpath/impl/ipc/internal/path"
)

// Whatever a handler makes of its request, the answer has the same bytes where it
// may be laid over the request and where it may not, and what a handler retained
// stays as it was.
func TestAnswerInPlace(t *testing.T) {
	long := bytes.Repeat([]byte("long"), path.SmallMessage)
	type request struct {
		held       *Frame
		body, copy []byte
	}
	retained := make(chan request, 1)
	handlers := Service{
		"echo":          {echo, true},
		"cells alone":   {func(c *Call) error { add(c, c.Cells()); return nil }, true},
		"message":       {func(c *Call) error { c.SetMessage(c.Param()); return nil }, true},
		"first cells":   {func(c *Call) error { c.SetMessage(c.Param()); add(c, c.Cells()[:2]); return nil }, true},
		"last cells":    {func(c *Call) error { c.SetMessage(c.Param()); add(c, c.Cells()[1:]); return nil }, true},
		"backwards":     {func(c *Call) error { add(c, c.Cells()[1:]); add(c, c.Cells()[:1]); return nil }, true},
		"twice":         {func(c *Call) error { add(c, c.Cells()); add(c, c.Cells()); return nil }, true},
		"other cells":   {func(c *Call) error { add(c, studyCells(3, 50)); return nil }, true},
		"cut cells":     {func(c *Call) error { add(c, []KeyValue{c.Cells()[0][:40]}); return nil }, true},
		"cell as text":  {func(c *Call) error { c.SetMessage(c.Cells()[0][:80]); add(c, c.Cells()); return nil }, true},
		"part of param": {func(c *Call) error { c.SetMessage(c.Param()[1:4]); add(c, c.Cells()); return nil }, true},
		"longer":        {func(c *Call) error { c.SetMessage(long[:40]); add(c, c.Cells()); return nil }, true},
		"long":          {func(c *Call) error { c.SetMessage(long); add(c, c.Cells()); return nil }, true},
		"retained": {func(c *Call) error {
			retained <- request{c.Retain(), c.exchange.Body, bytes.Clone(c.exchange.Body)}
			c.SetMessage(c.Param())
			add(c, c.Cells())
			return nil
		}, true},
		"may block": {echo, false},
	}
	gathered := Service{}
	for name, m := range handlers {
		gathered[name] = Method{NonBlocking: m.NonBlocking, Handle: func(c *Call) error {
			t.Cleanup(c.Retain().Release) // no answer is laid over a request that is in use
			return m.Handle(c)
		}}
	}
	type answer struct{ message, block []byte }
	answers := map[string]answer{}
	for _, service := range []Service{gathered, handlers} {
		c := dial(t, start(t, &Server{Services: map[string]Service{echoName: service}}))
		for name := range handlers {
			for _, size := range []int{60, 5000} {
				var r Response
				if err := c.Call(context.Background(), name, studyMessage, studyCells(4, size), &r); err != nil {
					t.Fatal(name, err)
				}
				key := fmt.Sprint(name, size)
				got := answer{bytes.Clone(r.Message), bytes.Clone(r.Block)}
				r.Release()
				if want, ok := answers[key]; !ok {
					answers[key] = got
				} else if !bytes.Equal(got.message, want.message) || !bytes.Equal(got.block, want.block) {
					t.Errorf("%s: message %q and %d bytes of cells, want %q and %d", key, got.message, len(got.block), want.message, len(want.block))
				}
				if name == "retained" {
					request := <-retained
					if !bytes.Equal(request.body, request.copy) {
						t.Error("the answer lies over a request that its handler retained")
					}
					request.held.Release()
				}
			}
		}
	}
}
