package study

import (
	"slices"

	"hotpath/internal/bench"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

// Lane is the published contestants of an experiment in the language that they were
// published in, in heats that they share with their re-creations in Go.
type Lane struct {
	Name      string           // such as bench.JVM
	Blocks    []*Block         // in the order of the plan
	Judgement claims.Judgement // of the experiment's claims, said of the originals, at a level of their own
	Parallels []Parallel       // of all comparisons of these claims
}

// Pair is an original and its re-creation in Go, in a block of their lane.
type Pair struct {
	Original, Recreation *Row
	// Ratio is what the re-creation takes over what the original takes, at Level.
	Ratio Interval
	// Net is the same ratio of what each takes beyond the floor of its own language,
	// paired by heat; its Estimate is 0 where that cannot be told.
	Net Interval
}

// Parallel is a comparison of a claim, made three times: as published, of the originals
// here, and of their re-creations here.
type Parallel struct {
	Claim     Claim
	Published float64  // what the published scores or the claim give; 0 where nothing does
	Original  Interval // at the level of the lane's claims
	Go        Interval // at the level of the experiment's claims, in the block that they are judged on
	Verdict   claims.Word

	Baseline, Candidate string // of the re-creations

	// Machine is the published ratio over that of the originals here; Language is the
	// re-creations' ratio over the originals', in heats that all four share, at Level.
	// Both have an Estimate of 0 where they cannot be told.
	Machine, Language Interval
}

// lane makes the lane of an experiment whose run has one.
func (x *Experiment) lane(m *results.Manifest) {
	for _, b := range x.Blocks {
		name := b.Lane()
		if name == "" {
			continue
		}
		if x.Lane == nil {
			x.Lane = &Lane{Name: name}
		}
		if name == x.Lane.Name {
			x.Lane.Blocks = append(x.Lane.Blocks, b)
		}
	}
	if x.Lane == nil {
		return
	}
	for _, b := range x.Lane.Blocks {
		f := x.Claims.InLane(x.Lane.Name, b.Beside(), b.Block, b.originalOf)
		b.published(f)
		j := x.judge(m, f)
		x.Lane.Judgement.Verdicts = append(x.Lane.Judgement.Verdicts, j.Verdicts...)
		for _, v := range j.Verdicts {
			for _, c := range v.Comparisons {
				x.Lane.Parallels = append(x.Lane.Parallels, x.parallel(b, v, c))
			}
		}
	}
}

// originalOf is the contestant of the block that the named one re-creates.
func (b *Block) originalOf(recreation string) (string, bool) {
	for _, r := range b.Rows {
		if r.Recreation == recreation && recreation != "" {
			return r.Impl(), true
		}
	}
	return "", false
}

// parallel sets a comparison of the originals in their block beside the published one
// and that of their re-creations.
func (x *Experiment) parallel(b *Block, v Verdict, c Comparison) Parallel {
	p := Parallel{
		Claim: v.Claim, Verdict: c.Verdict, Original: c.Measured.Interval,
		Baseline: b.Row(c.Baseline).Recreation, Candidate: b.Row(c.Candidate).Recreation,
		Published: b.publishedRatio(v.Claim.Metric, c),
	}
	for _, judged := range x.Judgement.Verdicts {
		i := slices.IndexFunc(judged.Comparisons, func(g Comparison) bool { return g.Baseline == p.Baseline && g.Candidate == p.Candidate })
		if judged.Claim.ID == v.Claim.ID && i >= 0 {
			p.Go = judged.Comparisons[i].Measured.Interval
		}
	}
	if p.Published > 0 && p.Original.Estimate > 0 {
		p.Machine = over(p.Published, p.Original)
	}
	p.Language = b.language(v.Claim.Metric, [2]string{p.Baseline, p.Candidate}, [2]string{c.Baseline, c.Candidate})
	return p
}

// over is a number over what has an interval.
func over(v float64, iv Interval) Interval {
	r := Interval{Estimate: v / iv.Estimate, N: iv.N, Level: iv.Level}
	if iv.Level > 0 {
		r.Low, r.High = v/iv.High, v/iv.Low
	}
	return r
}

// publishedRatio is the claim's where it names one, and otherwise that of the published
// scores, which are means.
func (b *Block) publishedRatio(metric bench.Unit, c Comparison) float64 {
	score := func(impl string) float64 {
		p, _ := b.PublishedOf(impl, func(Published) bool { return true })
		return p.Score
	}
	base, cand := score(c.Baseline), score(c.Candidate)
	switch {
	case c.Published > 0:
		return c.Published
	case metric == bench.MeanLatency && base > 0 && cand > 0:
		return base / cand
	}
	return 0
}

// language is the ratio of two contestants over that of their originals, each a
// baseline and a candidate, paired by heat.
func (b *Block) language(unit bench.Unit, pair, originals [2]string) Interval {
	ratios, noisy := b.observe(unit, pair[0], pair[1])
	others, noisyToo := b.observe(unit, originals[0], originals[1])
	if noisy || noisyToo {
		return Interval{}
	}
	in, of := byNumber(ratios), byNumber(others)
	var all []float64
	for number := 1; number <= b.numbers; number++ {
		if in[number] > 0 && of[number] > 0 {
			all = append(all, in[number]/of[number])
		}
	}
	iv, _ := stats.RatioOf(all, Level) // too few leave the estimate, which is shown alone
	return iv.Widened(2 * b.Control(unit).Widen)
}

// byNumber has one ratio for each number of a heat: the middle, where several parts
// have one.
func byNumber(heats []HeatRatio) map[int]float64 {
	all := map[int][]float64{}
	for _, h := range heats {
		all[h.Number] = append(all[h.Number], h.Ratio)
	}
	middles := map[int]float64{}
	for number, ratios := range all {
		middles[number] = stats.Middle(ratios)
	}
	return middles
}

// Pairs are the originals of the block with their re-creations, in the order of the
// plan, in the unit that sums up a fork; the floors are not among them.
func (b *Block) Pairs() []Pair {
	var all []Pair
	unit := b.Score()
	for _, r := range b.Rows {
		recreation := b.Row(r.Recreation)
		if recreation == nil || r.Role == bench.Floor {
			continue
		}
		p := Pair{Original: r, Recreation: recreation, Ratio: b.Ratio(unit, recreation.Impl(), r.Impl())}
		p.Net, _ = b.Net(unit, recreation.Impl(), r.Impl())
		all = append(all, p)
	}
	return all
}
