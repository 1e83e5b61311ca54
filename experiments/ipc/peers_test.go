package ipc_test

import (
	"testing"

	"hotpath/internal/contest"
)

// peers are other ways to carry the same echo, each served and called as its
// documentation shows, without TLS. What each does for a call that the study's
// protocol does not do is in the package comment.
var peers = []system{
	grpcSystem,
	grpcRawSystem,
	netRPCSystem,
	drpcSystem,
	connectSystem,
	ttrpcSystem,
	http1System,
	thriftSystem,
	kitexSystem,
}

func TestRows(t *testing.T) {
	rows := []contest.Row{floorSystem.Row}
	for _, p := range contest.Paths {
		rows = append(rows, p.Row)
		if p.In == 0 {
			t.Errorf("%s takes part in no block", p.Name)
		}
	}
	for _, p := range peers {
		rows = append(rows, p.Row)
		if p.in == 0 {
			t.Errorf("%s takes part in no block", p.Name)
		}
	}
	if err := contest.CheckRows(rows); err != nil {
		t.Error(err)
	}
}
