package ipctest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/pb"
	"hotpath/impl/ipc/steps"
)

// TestLoad: 64 connections with 1000 calls each, cells that are different in each
// call, every byte of every answer held against what was sent.
func TestLoad(t *testing.T) {
	variants(t, func(t *testing.T, nonBlocking bool) {
		const conns, most = 64, 512 << 20
		calls := 1000
		if race {
			calls = 50
		}
		s := echoServer(nonBlocking)
		noLeaks(t)
		addr := serve(t, s)
		var all sync.WaitGroup
		for i := range conns {
			all.Go(func() {
				client, err := (ipc.Dialer{Service: steps.EchoName}).Dial(t.Context(), addr)
				if err != nil {
					t.Error(err)
					return
				}
				defer client.Close()
				random := rand.New(rand.NewPCG(1, uint64(i)))
				var (
					sent []byte
					kvs  []ipc.KeyValue
					r    ipc.Response
				)
				for n := range calls {
					// Ten cells of 10 kB; the stamp of each value makes it one of a kind.
					if n == 0 {
						sent = cells(10, 10<<10)
						for at := 0; at < len(sent); {
							end := at + 4 + int(binary.BigEndian.Uint32(sent[at:]))
							kvs = append(kvs, ipc.KeyValue(sent[at+4:end:end]))
							at = end
						}
					}
					for _, kv := range kvs {
						binary.BigEndian.PutUint64(kv[len(kv)-8-8*random.IntN(1000):], random.Uint64())
					}
					message := strconv.Itoa(n)
					param := encode(&pb.EchoRequest{Message: &message})
					if err := client.Call(t.Context(), "echo", param, kvs, &r); err != nil {
						t.Errorf("connection %d, call %d: %v", i, n, err)
						return
					}
					if !bytes.Equal(r.Message, param) || !bytes.Equal(r.Block, sent) {
						t.Errorf("connection %d, call %d: different payload back, %d bytes of %d", i, n, len(r.Block), len(sent))
						return
					}
				}
				r.Release()
			})
		}
		all.Wait()
		if got, want := s.Stats().Calls, int64(conns*calls); got != want {
			t.Errorf("%d calls counted, want %d", got, want)
		}
		if rss := peakRSS(t); rss > most && !race {
			t.Errorf("%d MB of memory used at the peak, want at most %d", rss>>20, most>>20)
		}
	})
}

// peakRSS returns the most memory that this process has held at once.
func peakRSS(t *testing.T) int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err) // not Linux
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
