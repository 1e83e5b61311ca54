package contest

import (
	"slices"
	"strings"
	"testing"

	"hotpath/internal/bench"
)

// Each mistake in a row is named, and rows without one pass.
func TestCheckRows(t *testing.T) {
	good := []Row{
		{Name: "floor", Role: bench.Floor, About: "Nothing."},
		{Name: "word", Role: bench.Published, About: "A word."},
		{Name: "mine", Role: bench.Ours, About: "Ours."},
		{Name: "theirs", Role: bench.Peer, About: "Theirs.", Rival: true},
		{Name: "word_again", Role: bench.Control, About: "The word again.", Again: "word"},
	}
	if err := CheckRows(good); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(rows []Row) []Row{
		`two rows are named "mine"`:                    func(r []Row) []Row { return append(r, r[2]) },
		`"Mine" is no name`:                            func(r []Row) []Row { r[2].Name = "Mine"; return r },
		`"my-own" is no name`:                          func(r []Row) []Row { r[2].Name = "my-own"; return r },
		`mine: "hours" is no role`:                     func(r []Row) []Row { r[2].Role = "hours"; return r },
		`mine: About is no sentence: ""`:               func(r []Row) []Row { r[2].About = ""; return r },
		`mine: the rival is a peer, not ours`:          func(r []Row) []Row { r[2].Rival, r[3].Rival = true, false; return r },
		`0 rows are the rival`:                         func(r []Row) []Row { r[3].Rival = false; return r },
		`2 rows are the rival`:                         func(r []Row) []Row { return append(r, Row{"more", bench.Peer, "More.", "", false, true, ""}) },
		`0 rows are the floor`:                         func(r []Row) []Row { return r[1:] },
		`0 rows are the control`:                       func(r []Row) []Row { return r[:4] },
		`2 rows are the floor`:                         func(r []Row) []Row { r[2].Role = bench.Floor; return r },
		`word_again: control, and again ""`:            func(r []Row) []Row { r[4].Again = ""; return r },
		`mine: ours, and again "word"`:                 func(r []Row) []Row { r[2].Again = "word"; return r },
		`word_again: again "mine", which is no publis`: func(r []Row) []Row { r[4].Again = "mine"; return r },
		`word_again: again "wrod", which is no publis`: func(r []Row) []Row { r[4].Again = "wrod"; return r },
	} {
		if err := CheckRows(spoil(slices.Clone(good))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %s", err, want)
		}
	}
}
