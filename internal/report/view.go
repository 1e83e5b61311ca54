package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"hotpath/internal/bench"
	"hotpath/internal/chart"
	"hotpath/internal/claims"
	"hotpath/internal/results"
	"hotpath/internal/stats"
)

//go:embed report.md.tmpl
var reportTemplate string

// rules are the numbers of the method that the template explains.
var rules = map[string]float64{
	"minPairs":         claims.MinPairs,
	"controlLevel":     claims.ControlLevel,
	"controlHalfWidth": claims.ControlHalfWidth,
	"large":            claims.Large,
	"largeTolerance":   claims.LargeTolerance,
	"largeSmallest":    claims.LargeSmallest,
	"smallTolerance":   claims.SmallTolerance,
	"smallSmallest":    claims.SmallSmallest,
	"steadyWithin":     stats.SteadyWithin,
	"level":            level,
}

// view is what the template shows.
type view struct {
	Run         *results.Run
	Path        string // of the run's folder, from that of the report
	Sentence    string // what this machine can and cannot judge
	Claims      *table
	Experiments []*experiment
	Matrix      *table // claims by runs, where there are several
	Peers       *table // the best of ours against the best of other libraries
}

// experiment is one experiment's part of the report.
type experiment struct {
	*results.Experiment
	study
	judgement claims.Judgement
	Changed   bool // the claims file is not the one that the run was begun with
	Charts    []chart.Chart
	Benchstat []Block
}

func newExperiment(run *results.Run, e *results.Experiment, s study) (*experiment, error) {
	x := &experiment{Experiment: e, study: s, Changed: s.claims.SHA256 != run.Manifest.Claims[e.Name]}
	x.judgement = judge(run, e, s.claims)
	return x, nil
}

// judge applies an experiment's claims to a run.
func judge(run *results.Run, e *results.Experiment, f *claims.File) claims.Judgement {
	override := ""
	if run.Manifest.Quick {
		override = "a quick look, not a run"
	}
	j := claims.Judge(f, run.Manifest.Machine.CPUs, override, func(b bench.Block, u bench.Unit, x, y string, level float64) (stats.Interval, error) {
		p, q := e.Pairs(b, u, x, y)
		return stats.PairedRatio(p, q, level)
	})
	explain(e, &j)
	return j
}

// explain adds which gates took the pairs, where too few were left.
func explain(e *results.Experiment, j *claims.Judgement) {
	short := func(block bench.Block, iv stats.Interval) string {
		if iv.N >= claims.MinPairs {
			return ""
		}
		var words []string
		for _, g := range gateCounts(e, block) {
			words = append(words, fmt.Sprintf("%s (%s)", g.name, plural(g.forks, "fork")))
		}
		if len(words) == 0 {
			return ""
		}
		return "; gates not met: " + list(words)
	}
	control := short(j.Control.Control.Block, j.Control.Measured)
	j.Control.Reason += control
	for i := range j.Verdicts {
		v := &j.Verdicts[i]
		why := control
		for _, c := range v.Comparisons {
			if why == "" {
				why = short(v.Claim.Block, c.Measured)
			}
		}
		v.Reason += why
	}
}

func (x *experiment) addChart(c chart.Chart) { x.Charts = append(x.Charts, c) }

// chartsOf are the experiment's charts of some kinds, in their order.
func (x *experiment) chartsOf(kinds ...string) []chart.Chart {
	var cs []chart.Chart
	for _, kind := range kinds {
		for _, c := range x.Charts {
			if c.Kind == kind {
				cs = append(cs, c)
			}
		}
	}
	return cs
}

// conclude fills in what spans experiments and runs.
func (v *view) conclude(root *os.Root, runs []string, experiments string) error {
	v.Claims = claimsTable(v.Experiments)
	v.Sentence = v.canJudge()
	v.Peers = peersTable(v.Experiments)
	if len(runs) < 2 || v.Run.Manifest.Quick {
		return nil
	}
	var loaded []*results.Run
	machines := map[string]bool{}
	for _, name := range runs {
		run, err := results.Load(root, name)
		if err != nil {
			return err
		}
		if machine := name[strings.Index(name, "-")+1:]; !run.Manifest.Quick && !machines[machine] {
			machines[machine] = true
			loaded = append(loaded, run)
		}
	}
	if len(loaded) > 1 {
		v.Matrix = matrix(loaded, v.Experiments)
	}
	return nil
}

// canJudge says in one sentence what the run's machine decides.
func (v *view) canJudge() string {
	cpus := v.Run.Manifest.Machine.CPUs
	orders, magnitudes, short, need := 0, 0, 0, 0
	for _, x := range v.Experiments {
		for _, c := range x.claims.Claims {
			if c.Kind == claims.Order || c.Kind == claims.Less {
				orders++
				continue
			}
			magnitudes++
			if c.Needs.CPUs > cpus {
				short++
				need = max(need, c.Needs.CPUs)
			}
		}
	}
	s := fmt.Sprintf("This machine has %s: it can judge which of two contestants needs less (%s)", plural(cpus, "CPU"), plural(orders, "claim"))
	switch {
	case magnitudes == 0:
	case short == 0:
		s += fmt.Sprintf(" and by how much (%s)", plural(magnitudes, "claim"))
	case short == magnitudes:
		s += fmt.Sprintf("; by how much (%s) it cannot judge, since those magnitudes were published for %d CPUs or more", plural(magnitudes, "claim"), need)
	default:
		s += fmt.Sprintf(" and %d of %d published magnitudes; the others were published for %d CPUs or more", magnitudes-short, magnitudes, need)
	}
	return s + "."
}

// claimsTable lists the verdicts of all experiments, of each its orders first.
func claimsTable(xs []*experiment) *table {
	t := &table{Head: []string{"experiment", "claim", "metric", "published", "measured, with its interval", "verdict"}, Left: 6}
	for _, x := range xs {
		for _, orders := range []bool{true, false} {
			for _, d := range x.judgement.Verdicts {
				if (d.Claim.Kind == claims.Order) != orders {
					continue
				}
				t.add(x.Name, fmt.Sprintf("%s (%s)", escape(d.Claim.Text), escape(d.Claim.Source)), code(escape(d.Claim.Metric.Name)), publishedRatio(d.Claim), measured(d), verdict(d.Word, d.Reason))
			}
		}
	}
	return t
}

func publishedRatio(c claims.Claim) string {
	switch c.Kind {
	case claims.Order:
		names := make([]string, len(c.Order))
		for i, n := range c.Order {
			names[i] = code(n)
		}
		return strings.Join(names, " > ")
	case claims.Range:
		return fmt.Sprintf("%s to %s", published(c.Low), published(c.High))
	case claims.AtLeast:
		return "≥ " + published(c.Published)
	case claims.Less:
		return "> 1"
	}
	return published(c.Published)
}

// measured shows the ratio of each comparison of a verdict.
func measured(d claims.Verdict) string {
	var parts []string
	for _, c := range d.Comparisons {
		together := strings.ReplaceAll(ratio(c.Measured), " ", "\u00a0")
		parts = append(parts, fmt.Sprintf("%s / %s = %s", code(c.Baseline), code(c.Candidate), together))
	}
	return strings.Join(parts, "<br>")
}

var symbols = map[claims.Word]string{
	claims.Reproduced:    "✔",
	claims.DirectionOnly: "◐",
	claims.NotReproduced: "✘",
	claims.Inconclusive:  "?",
}

func verdict(w claims.Word, reason string) string {
	s := symbols[w] + " **" + string(w) + "**"
	if reason != "" {
		s += ": " + escape(reason)
	}
	return s
}

// matrix has a row for each claim and a column for each machine's newest run.
func matrix(runs []*results.Run, xs []*experiment) *table {
	t := &table{Head: []string{"claim"}, Left: 1 + len(runs)}
	for _, run := range runs {
		m := run.Manifest.Machine
		t.Head = append(t.Head, fmt.Sprintf("%s, %s (%s)", escape(m.CPU), plural(m.CPUs, "CPU"), run.Name))
	}
	for _, x := range xs {
		for i, c := range x.claims.Claims {
			row := []string{escape(c.Text)}
			for _, run := range runs {
				cell := ""
				for _, e := range run.Experiments {
					if e.Name == x.Name {
						cell = verdict(judge(run, e, x.claims).Verdicts[i].Word, "")
					}
				}
				row = append(row, cell)
			}
			t.add(row...)
		}
	}
	return t
}

// readings are the claims that say how an ambiguous statement was read.
func (x *experiment) readings() []claims.Claim {
	return slices.DeleteFunc(slices.Clone(x.claims.Claims), func(c claims.Claim) bool { return c.Reading == "" })
}

// again says how often a fork is tried after its first attempt.
func again(attempts int) string {
	switch n := attempts - 1; n {
	case 1:
		return "at most once"
	case 2:
		return "at most twice"
	default:
		return fmt.Sprintf("at most %d times", n)
	}
}

// rawFile is a file of the run with its checksum.
type rawFile struct{ Name, Path, Sum string }

// rawFiles lists the files that an experiment has in a run.
func (v *view) rawFiles(experiment string) []rawFile {
	var fs []rawFile
	for name, sum := range v.Run.Manifest.Files {
		if strings.HasPrefix(name, experiment+".") {
			fs = append(fs, rawFile{name, v.Path + "/" + name, sum})
		}
	}
	slices.SortFunc(fs, func(a, b rawFile) int { return strings.Compare(a.Name, b.Name) })
	return fs
}

// render fills the template.
func (v *view) render() ([]byte, error) {
	t, err := template.New(reportName).Funcs(template.FuncMap{
		"escape": escape, "code": code, "percent": percent, "plural": plural, "list": list, "ratio": ratio, "number": number,
		"rule":   func(name string) float64 { return rules[name] },
		"charts": func(x *experiment, kinds ...string) []chart.Chart { return x.chartsOf(kinds...) },
		"latencies": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return percentileTable(x.Experiment, b, x.claims) }, "percentiles")
		},
		"times": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return timesTable(x.Experiment, b, x.claims) })
		},
		"runs":      func(x *experiment, block bench.Block) *table { return runsTable(x.Experiment, block, x.claims) },
		"collector": func(x *experiment, block bench.Block) *table { return collectorTable(x.Experiment, block) },
		"openLoops": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return openTable(x.Experiment, b) }, "latency")
		},
		"recorders": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return recorderTable(x.Experiment, b) }, "accuracy")
		},
		"servers": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return serverTable(x.Experiment, b) }, "ladder")
		},
		"scores": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return scoreTable(x.Experiment, b, x.claims) }, "throughput")
		},
		"costs": func(x *experiment) []blockPart { return x.parts(nil, "costs") },
		"facts": func(x *experiment) []blockPart {
			return x.parts(func(b bench.Block) *table { return factsTable(x.Experiment, b) })
		},
		"judged":  func(x *experiment) *table { return judgedTable(x.Experiment, x.claims) },
		"memory":  func(x *experiment) *table { return memoryTable(x.Experiment) },
		"reading": func(x *experiment) []claims.Claim { return x.readings() },
		"others":  func(x *experiment) []section { return x.prose.others() },
		"blockCharts": func(x *experiment, block bench.Block, kinds ...string) []chart.Chart {
			return slices.DeleteFunc(x.chartsOf(kinds...), func(c chart.Chart) bool { return c.Block != block })
		},
		"again":      func(n int) string { return again(n) },
		"rounds":     func(x *experiment, tier bench.Tier) int { return x.Plan.Rounds[tier] },
		"question":   func(x *experiment) string { return x.prose.Question },
		"section":    func(x *experiment, heading string) string { return x.prose.section(heading) },
		"files":      func(x *experiment) []rawFile { return v.rawFiles(x.Name) },
		"claimsFile": func(x *experiment) *claims.File { return x.claims },
		"control":    func(x *experiment) claims.ControlOutcome { return x.judgement.Control },
		"trouble":    func(x *experiment) *table { return troubleTable(x.Experiment) },
		"noise":      func(x *experiment) *table { return gateTable(x.Experiment) },
	}).Parse(reportTemplate)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, v); err != nil {
		return nil, err
	}
	return emptyLines.ReplaceAll(out.Bytes(), []byte("\n\n")), nil
}

// emptyLines are what parts of the template that do not apply leave.
var emptyLines = regexp.MustCompile(`\n{3,}`)
