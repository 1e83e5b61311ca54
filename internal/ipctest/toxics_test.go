package ipctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
)

// toxics are all that toxiproxy can do to a connection. What passes must arrive
// whole; what does not must be an error before the deadline.
var toxics = []struct {
	kind       string
	attributes map[string]int
	passes     bool
}{
	{"noop", nil, true},
	{"latency", map[string]int{"latency": 20, "jitter": 10}, true},
	{"bandwidth", map[string]int{"rate": 2000}, true}, // kB/s
	{"slicer", map[string]int{"average_size": 1000, "size_variation": 500, "delay": 10}, true},
	{"slow_close", map[string]int{"delay": 50}, true},
	{"reset_peer", map[string]int{"timeout": 0}, false},
	{"timeout", map[string]int{"timeout": 50}, false},
	{"limit_data", map[string]int{"bytes": 50_000}, false},
}

// proxied are the goroutines that toxiproxy leaves for a while after it stops.
var proxied = []goleak.Option{
	goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).read"),
	goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).write"),
	goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run"),
}

func TestToxics(t *testing.T) {
	for _, toxic := range toxics {
		for _, stream := range []string{"upstream", "downstream"} {
			t.Run(toxic.kind+" "+stream, func(t *testing.T) {
				s := echoServer(true)
				s.ReadTimeout = 2 * time.Second
				s.WriteTimeout = 2 * time.Second
				addr := start(t, s, proxied...)
				proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "p", "127.0.0.1:0", addr)
				if err := proxy.Start(); err != nil {
					t.Fatal(err)
				}
				defer proxy.Stop()
				config, err := json.Marshal(map[string]any{"name": "t", "type": toxic.kind, "stream": stream, "attributes": toxic.attributes})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := proxy.Toxics.AddToxicJson(bytes.NewReader(config)); err != nil {
					t.Fatal(err)
				}

				err = callOften(t, proxy.Listen)
				switch {
				case toxic.passes && err != nil:
					t.Errorf("the calls failed: %v", err)
				case !toxic.passes && err == nil:
					t.Error("all calls succeeded")
				case errors.Is(err, context.DeadlineExceeded) && toxic.kind != "timeout":
					t.Errorf("the error came with the deadline alone: %v", err)
				}
				if err := callOften(t, addr); err != nil {
					t.Errorf("beside the proxy: %v", err)
				}
			})
		}
	}
}

// callOften makes a few calls of 100 kB on one connection, and wants each answer
// right or an error.
func callOften(t *testing.T, addr string) error {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	client, err := (ipc.Dialer{Service: steps.EchoName}).Dial(ctx, addr)
	if err != nil {
		return err
	}
	defer client.Close()
	block := cells(1, 100<<10)
	for range 5 {
		message := strings.Repeat("m", 100)
		param := encode(&pb.EchoRequest{Message: &message})
		var r ipc.Response
		if err := client.Call(ctx, "echo", param, []ipc.KeyValue{block[4:]}, &r); err != nil {
			return err
		}
		if !bytes.Equal(r.Message, param) || !bytes.Equal(r.Block, block) {
			t.Errorf("a wrong answer: %d bytes of message, %d of cells", len(r.Message), len(r.Block))
		}
		r.Release()
	}
	return nil
}
