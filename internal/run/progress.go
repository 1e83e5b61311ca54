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

// progress shows how far a run is: a bar on a terminal, elsewhere a line every
// now and then.
type progress struct {
	w           io.Writer
	bar         *progressbar.ProgressBar
	total, done time.Duration // expected of the whole schedule, and of what has been done of it
	kept, gated int           // turns of the heats since the process began
	again       int           // heats that were spoilt, and are held again later
	told        time.Time
}

// tellAgain is how long a run is silent where there is no terminal.
const tellAgain = 10 * time.Second

func newProgress(w io.Writer) *progress { return &progress{w: w} }

// start takes the whole schedule, whose expected time is the scale.
func (p *progress) start(heats []heatPlan) {
	for _, h := range heats {
		p.total += cost(h.cells)
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

// tell counts the turns of a heat.
func (p *progress) tell(rec results.Record) {
	for _, f := range rec.Forks {
		p.kept, p.gated = p.kept+f.Fork.Kept, p.gated+f.Fork.Gated
	}
}

// step tells that a heat of the schedule is done.
func (p *progress) step(h heatPlan) {
	p.done += cost(h.cells)
	p.show(h)
}

// putOff tells that a heat is one of so many to be held again.
func (p *progress) putOff(h heatPlan, again int) {
	p.again = again
	p.show(h)
}

func (p *progress) show(h heatPlan) {
	state := fmt.Sprintf("%d of %d turns gated, about %v left", p.gated, p.gated+p.kept, (p.total - p.done).Round(time.Second))
	if p.again > 0 {
		state = bench.Plural(p.again, "heat") + " to be held again, " + state
	}
	if p.bar != nil {
		p.bar.Describe(h.experiment + ", " + state)
		p.bar.Set64(p.done.Milliseconds())
		return
	}
	if time.Since(p.told) > tellAgain {
		p.told = time.Now()
		fmt.Fprintf(p.w, "%d%% done, %s\n", 100*p.done/p.total, state)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
