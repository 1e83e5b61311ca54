package run

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"hotpath/internal/bench"
	"hotpath/internal/results"
)

// progress shows how far a run is: a bar on a terminal, elsewhere a line at
// the end of each round.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar
	total time.Duration // expected for the whole schedule
	done  time.Duration // expected for what has been done of it
	begun time.Time
	ahead time.Duration // expected when this process began, for what was left then
	gated int
	round int
}

func newProgress(w io.Writer) *progress { return &progress{w: w, round: 1} }

// start takes the whole schedule, whose expected time is the scale, and the
// expected time of what is not done of it.
func (p *progress) start(turns []turn, ahead time.Duration) {
	p.begun, p.ahead = time.Now(), ahead
	for _, t := range turns {
		for _, c := range t.cells {
			p.total += cost(c)
		}
	}
	if f, ok := p.w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(p.total.Milliseconds(),
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish())
	}
}

// hasTime reports whether the budget leaves time to wait for, or to repeat, a
// fork of a tier. Judged cells, on which verdicts depend, may use all of it; the
// others half, and no faster than the run gets on.
func (p *progress) hasTime(tier bench.Tier) bool {
	spare := time.Duration((1/planned - 1) * float64(p.ahead))
	behind := time.Since(p.begun) - (p.ahead - (p.total - p.done))
	if tier == bench.Peers {
		spare = time.Duration(0.5 * float64(spare) * float64(p.done) / float64(p.total))
	}
	return behind < spare
}

// step tells of one cell's turn; f is nil where it was given up. Only the
// first attempt is part of the schedule.
func (p *progress) step(t turn, c bench.Cell, attempt int, f *results.Fork) {
	if f != nil && len(f.Gated) > 0 {
		p.gated++
	}
	if attempt == 1 {
		p.done += cost(c)
	}
	left := (p.total - p.done).Round(time.Second)
	if p.bar != nil {
		p.bar.Describe(fmt.Sprintf("round %d, %s, %d gated, about %v left", t.round, t.experiment, p.gated, left))
		p.bar.Set64(p.done.Milliseconds())
		return
	}
	if t.round > p.round {
		fmt.Fprintf(p.w, "round %d done: %d%%, %d forks gated, about %v left\n", p.round, 100*p.done/p.total, p.gated, left)
		p.round = t.round
	}
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
