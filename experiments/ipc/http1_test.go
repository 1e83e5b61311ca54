package ipc_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/proto"

	"hotpath/experiments/ipc/echopb"
	"hotpath/internal/bench"
	"hotpath/internal/contest"
)

// httpLimit bounds what an announced length may make the other side allocate.
const httpLimit = 4 << 20

var http1System = system{
	Row: contest.Row{Name: "http1", Role: bench.Peer, About: "HTTP/1.1 by net/http, with protobuf."},
	in:  contest.InLadder | contest.InLoad,
	serve: func(l net.Listener) (server, error) {
		s := &http.Server{Handler: http.HandlerFunc(serveHTTP)}
		go s.Serve(l)
		return server{stop: func() { s.Close() }}, nil
	},
	dial: func(addr string, _ int) (client, error) {
		t := new(http.Transport)
		c := &http.Client{Transport: t}
		return client{
			caller: func(e echo) caller {
				return protoCaller(e, func(ctx context.Context, m *echopb.Message) (*echopb.Message, error) {
					return post(ctx, c, "http://"+addr, m)
				})
			},
			close: t.CloseIdleConnections,
		}, nil
	},
	oneCall: true,
}

func serveHTTP(w http.ResponseWriter, r *http.Request) {
	m, err := readMessage(r.Body, r.ContentLength)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := proto.Marshal(m)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer))) // or it goes out in chunks
	w.Write(answer)
}

func post(ctx context.Context, c *http.Client, url string, m *echopb.Message) (*echopb.Message, error) {
	body, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s", response.Status)
	}
	return readMessage(response.Body, response.ContentLength)
}

// readMessage reads a body into one buffer of its length.
func readMessage(body io.Reader, length int64) (*echopb.Message, error) {
	if length < 0 || length > httpLimit {
		return nil, fmt.Errorf("body of %d bytes", length)
	}
	encoded := make([]byte, length)
	if _, err := io.ReadFull(body, encoded); err != nil {
		return nil, err
	}
	m := new(echopb.Message)
	return m, proto.Unmarshal(encoded, m)
}
