package revisions

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hotpath/internal/stats"
)

// noise makes the ratios of a heat of equals: B / A, and A again / A.
type noise func(rng *rand.Rand) (ratio, control float64)

// layouts is noise of processes that differ by how they were linked, by so much,
// with now and then one that differs much.
func layouts(sd float64) noise {
	return func(rng *rand.Rand) (float64, float64) {
		var cost [processes]float64
		for i := range cost {
			cost[i] = math.Exp(sd / math.Sqrt2 * rng.NormFloat64())
			if rng.IntN(20) == 0 {
				cost[i] *= 1 + 3*sd*rng.ExpFloat64()
			}
		}
		return cost[ofB] / cost[ofA], cost[ofAgain] / cost[ofA]
	}
}

// turnsPath holds what three processes of the same code took in each lap of each heat.
// Its head says on what kind of machine.
const turnsPath = "testdata/turns.txt"

// recorded is the noise of recorded heats. A few in a row are taken at a time, since
// what changes slowly is a part of it, and which process is A is tossed.
func recorded(t *testing.T) map[string]noise {
	t.Helper()
	data, err := os.ReadFile(turnsPath)
	if err != nil {
		t.Fatal(err)
	}
	heats := map[string][][]ratios{}
	name := ""
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "Benchmark"):
			name = strings.TrimSpace(line)
		default:
			heats[name] = append(heats[name], ratiosOf(t, line))
		}
	}
	all := map[string]noise{}
	for name, heats := range heats {
		at, left := 0, 0
		all[name] = func(rng *rand.Rand) (float64, float64) {
			if at, left = at+1, left-1; left <= 0 || at >= len(heats) {
				at, left = rng.IntN(len(heats)), 3
			}
			r := heats[at][rng.IntN(len(heats[at]))]
			return r.ratio, r.control
		}
	}
	return all
}

// ratios are those of a heat: B / A, and A again / A.
type ratios struct{ ratio, control float64 }

// ratiosOf has the ratios of a recorded heat for each choice of A, B and A again.
func ratiosOf(t *testing.T, line string) []ratios {
	t.Helper()
	var costs [processes][]float64
	for _, lap := range strings.Fields(line) {
		var took [processes]float64
		if _, err := fmt.Sscanf(lap, "%g,%g,%g", &took[0], &took[1], &took[2]); err != nil || slices.Min(took[:]) <= 0 {
			t.Fatalf("%s: %q is no lap", turnsPath, lap)
		}
		for i, v := range took {
			costs[i] = append(costs[i], v)
		}
	}
	over := func(x, y int) float64 {
		var laps []float64
		for i, v := range costs[x] {
			laps = append(laps, v/costs[y][i])
		}
		return stats.Middle(laps)
	}
	var all []ratios
	for a := range processes {
		for b := range processes {
			if again := processes - a - b; a != b {
				all = append(all, ratios{over(b, a), over(again, a)})
			}
		}
	}
	return all
}

// try holds up to so many heats of each of m benchmarks, whose B costs factor times
// what A costs, and counts the outcomes.
func (n noise) try(rng *rand.Rand, m, heats int, factor float64) map[Outcome]int {
	outcomes := map[Outcome]int{}
	for range m {
		c := contest{alpha: familyError / float64(m), margin: 0.02}
		for range heats {
			if ratio, control := n(rng); c.outcome == Open {
				c.add(factor*ratio, control)
			}
		}
		c.end()
		outcomes[c.outcome]++
	}
	return outcomes
}

// trials is how many trials a rate is taken of.
func trials(t *testing.T) int {
	t.Helper()
	const fewest = 1000
	text, ok := os.LookupEnv("HOTPATH_TRIALS")
	if !ok {
		return fewest
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < fewest {
		t.Fatalf("HOTPATH_TRIALS=%s: want a number from %d on", text, fewest)
	}
	return n
}

// rate is the share of trials that have one of these outcomes for any benchmark.
func (n noise) rate(trials, m, heats int, factor float64, of ...Outcome) float64 {
	rng := rand.New(rand.NewPCG(16146, 5945))
	hits := 0
	for range trials {
		outcomes := n.try(rng, m, heats, factor)
		if slices.ContainsFunc(of, func(o Outcome) bool { return outcomes[o] > 0 }) {
			hits++
		}
	}
	return float64(hits) / float64(trials)
}

// Equals are told to differ in at most one of twenty trials, whatever the noise and
// however many they are, and equals within the margin are seen to be.
func TestEquals(t *testing.T) {
	all := recorded(t)
	all["layouts that differ by 1.5 %"] = layouts(0.015)
	all["layouts that differ by 20 %"] = layouts(0.2)
	for name, n := range all {
		several := []int{1}
		if strings.Contains(name, "impl=atomic/") {
			several = []int{1, 3}
		}
		for _, m := range several {
			rate := n.rate(trials(t), m, 40, 1, Slower, Faster)
			t.Logf("%s: benchmarks of equals %d, %.1f %% of trials with a difference", name, m, 100*rate)
			if rate > familyError {
				t.Errorf("%s: %d benchmarks of equals differ in %.1f %% of trials", name, m, 100*rate)
			}
		}
	}
	if rate := layouts(0.015).rate(trials(t), 1, 40, 1, Alike); rate < 0.9 {
		t.Errorf("equals are seen to be equal in %.1f %% of trials", 100*rate)
	}
}

// Who takes each look at the level of a single one errs far more often: the trials
// of TestEquals can tell.
func TestLooksCost(t *testing.T) {
	const trials = 200
	rng := rand.New(rand.NewPCG(1, 2))
	n := layouts(0.015)
	hits := 0
	for range trials {
		var heats []float64
		for differs := false; len(heats) < 40 && !differs; {
			ratio, _ := n(rng)
			heats = append(heats, ratio)
			iv, err := stats.RatioOf(heats, 0.95)
			differs = err == nil && !iv.Holds(1)
			if differs {
				hits++
			}
		}
	}
	if rate := float64(hits) / trials; rate < 0.1 {
		t.Errorf("looks at 95 %% find equals to differ in %.1f %% of trials only", 100*rate)
	}
}

// What is slower is found, and the other way round, and nearly never as something
// else.
func TestDifferencesAreFound(t *testing.T) {
	for _, c := range []struct {
		sd, factor float64
		heats      int
		want       Outcome
	}{
		{0.015, 1.03, 24, Slower}, {0.015, 1 / 1.03, 24, Faster}, {0.04, 1.10, 20, Slower}, {0.02, 1.05, 20, Slower},
	} {
		n := layouts(c.sd)
		if rate := n.rate(trials(t), 1, c.heats, c.factor, c.want); rate < 0.9 {
			t.Errorf("%v in %d heats that differ by %v: %v in %.1f %% of trials", c.factor, c.heats, c.sd, c.want, 100*rate)
		}
		wrong := []Outcome{Alike, Slower, Faster}
		wrong = slices.DeleteFunc(wrong, func(o Outcome) bool { return o == c.want })
		if rate := n.rate(trials(t), 1, c.heats, c.factor, wrong...); rate > familyError {
			t.Errorf("%v in %d heats that differ by %v: not %v in %.1f %% of trials", c.factor, c.heats, c.sd, c.want, 100*rate)
		}
	}
}

// What is slower is found in nine of ten trials in the noise of recorded turns too.
func TestDifferencesAreFoundInRecordedTurns(t *testing.T) {
	for name, n := range recorded(t) {
		for _, c := range []struct {
			factor float64
			heats  int
			want   Outcome
		}{{1.2, 40, Slower}, {1 / 1.2, 40, Faster}, {1.5, 24, Slower}} {
			if rate := n.rate(trials(t), 1, c.heats, c.factor, c.want); rate < 0.9 {
				t.Errorf("%s: %.3g in %d heats: %v in %.1f %% of trials", name, c.factor, c.heats, c.want, 100*rate)
			}
		}
	}
}

// The shares of all looks together are no more than the whole, and each look has as
// many heats as its interval takes.
func TestLooks(t *testing.T) {
	sum := 0.0
	for k := 1; k <= 100_000; k++ {
		sum += spend(k)
	}
	if sum > 1 || sum < 0.99 {
		t.Errorf("the looks spend %v", sum)
	}
	for _, alpha := range []float64{familyError, familyError / 60} {
		c := contest{alpha: alpha}
		for c.looks < 20 {
			n := c.due()
			if n < fewest || n < c.seen+2 || stats.HighestLevel(n) < c.level() {
				t.Errorf("after %d looks, the last at %d heats, one at %d", c.looks, c.seen, n)
			}
			c.looks, c.seen = c.looks+1, n
		}
	}
}

func around(value, spread float64, n int) []float64 {
	var vs []float64
	for i := range n {
		vs = append(vs, value*math.Exp(spread*float64(i*7%11-5)/5))
	}
	return vs
}

func TestOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		ratios, controls []float64
		want             Outcome
		words            string
	}{
		"slower":                {around(1.05, 0.01, 12), around(1, 0.01, 12), Slower, "slower"},
		"slower for sure":       {around(1.021, 0.004, 12), around(1, 0.01, 12), Slower, "slower"},
		"slower by very little": {around(1.01, 0.005, 12), around(1, 0.01, 12), Alike, "no difference"},
		"faster":                {around(0.9, 0.01, 12), around(1, 0.01, 12), Faster, "faster"},
		"alike":                 {around(1.001, 0.01, 12), around(1, 0.01, 12), Alike, "no difference"},
		"wide":                  {around(1.03, 0.1, 12), around(1, 0.01, 12), Open, "cannot tell: it takes"},
		"too few":               {around(1.5, 0.01, 5), around(1, 0.01, 5), Open, "cannot tell: 21 heats would be a beginning"},
		// The control says that A differs from itself by more than B differs from it.
		"control is off": {around(1.05, 0.01, 12), around(1.1, 0.01, 12), Open, "more of them would not decide"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swap := range []bool{false, true} {
				contest := contest{alpha: familyError, margin: 0.02}
				for i, r := range c.ratios {
					if contest.outcome != Open {
						break
					}
					if swap {
						r = 1 / r
					}
					contest.add(r, c.controls[i])
				}
				contest.end()
				want, words := c.want, c.words
				if swap && (want == Slower || want == Faster) {
					want = Slower + Faster - want
					words = want.String()
				}
				if got := contest.words(3, "heat"); contest.outcome != want || !strings.Contains(got, words) {
					t.Errorf("swapped %v: %v %q, want %v %q", swap, contest.outcome, got, want, words)
				}
			}
		})
	}
}

// The number of heats that would decide is more than there were, and about right.
func TestNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	n := layouts(0.05)
	for _, factor := range []float64{1, 1.03} {
		c := contest{alpha: familyError, margin: 0.02}
		for range 15 {
			ratio, control := n(rng)
			c.add(factor*ratio, control)
		}
		c.end()
		// As if the estimate had been right.
		off := factor / c.ratio.Estimate
		c.ratio.Low, c.ratio.High, c.ratio.Estimate = c.ratio.Low*off, c.ratio.High*off, factor
		got := c.needed()
		if c.outcome != Open || got <= 15 || got > 400 {
			t.Errorf("%v: outcome %v, %d heats would decide", factor, c.outcome, got)
		}
	}
}
