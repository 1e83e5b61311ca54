package hotpath_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed says what the code of each package may import besides the standard
// library; a name ending in /... stands for all below it. Measuring and reporting
// meet in files alone, and impl/ stays light for its importers.
var allowed = map[string][]string{
	"impl/counter":                       {"impl/internal/pin"},
	"impl/counter/published":             nil,
	"impl/histogram":                     {"impl/histogram/internal/extreme", "impl/histogram/internal/hdr", "impl/internal/pin", "github.com/HdrHistogram/hdrhistogram-go"},
	"impl/histogram/internal/extreme":    nil,
	"impl/histogram/internal/hdr":        nil,
	"impl/histogram/published":           {"impl/counter/published", "impl/histogram", "impl/histogram/internal/extreme", "impl/histogram/internal/hdr"},
	"impl/histogram/examples/prometheus": {"impl/histogram", "github.com/prometheus/client_golang/...", "github.com/prometheus/client_model/...", "google.golang.org/protobuf/..."},
	"impl/histogram/examples/otel":       {"impl/histogram", "go.opentelemetry.io/otel/..."},
	"impl/histogram/examples/expvar":     {"impl/histogram"},
	"impl/internal/pin":                  nil,
	"impl/ipc":                           {"impl/ipc/internal/..."},
	"impl/ipc/internal/path":             {"impl/ipc/internal/wire"},
	"impl/ipc/internal/wire":             nil,
	"impl/ipc/pb":                        {"google.golang.org/protobuf/..."},
	"impl/ipc/steps":                     {"impl/ipc", "impl/ipc/internal/..."},

	"internal/bench":             nil,
	"internal/contest":           {"impl/...", "internal/bench"},
	"internal/host":              {"internal/bench", "golang.org/x/sys/...", "github.com/prometheus/procfs/...", "github.com/klauspost/cpuid/v2"},
	"internal/stats":             {"github.com/aclements/go-moremath/..."},
	"internal/measure":           {"internal/bench", "internal/host", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/claims":            {"internal/bench", "internal/stats", "github.com/pelletier/go-toml/v2/..."},
	"internal/results":           {"internal/bench", "golang.org/x/perf/...", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/results/synthetic": {"internal/bench", "internal/results", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/jvm":               {"internal/bench"},
	"internal/jvm/jvmtest":       {"internal/bench", "internal/jvm"},
	"internal/run":               {"internal/bench", "internal/host", "internal/jvm", "internal/results", "github.com/schollz/progressbar/v3", "golang.org/x/term"},
	"internal/fleet":             {"internal/bench", "internal/host", "internal/results", "internal/run"},
	"internal/study":             {"internal/bench", "internal/results", "internal/stats", "internal/claims", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/advice":            {"internal/bench", "internal/claims", "internal/study"},
	"internal/contention":        {"internal/bench", "internal/claims", "internal/study"},
	"internal/history":           {"internal/bench", "internal/study"},
	"internal/chart":             {"internal/bench", "internal/contention", "internal/study", "gonum.org/v1/plot/..."},
	"internal/report":            {"internal/advice", "internal/bench", "internal/contention", "internal/history", "internal/report/explorer", "internal/study", "internal/chart"},
	"internal/report/explorer":   {"internal/bench", "internal/study"},
	"internal/compare":           {"internal/bench", "internal/results", "internal/stats", "internal/study", "golang.org/x/perf/..."},
	"internal/revisions":         {"internal/bench", "internal/chart", "internal/compare", "internal/results", "internal/run", "internal/stats", "golang.org/x/term"},
	"internal/mutants":           nil,
	"internal/ipctest":           nil,
	"internal/ipctest/clientpb":  {"google.golang.org/protobuf/..."},
	"cmd/benchrun":               {"internal/bench", "internal/claims", "internal/compare", "internal/fleet", "internal/revisions", "internal/run"},
	"cmd/benchreport":            {"internal/report", "internal/compare"},

	"experiments/counter":                       nil,
	"experiments/multihistogram":                nil,
	"experiments/ipc":                           nil,
	"experiments/ipc/echopb":                    {"google.golang.org/grpc/...", "google.golang.org/protobuf/...", "github.com/containerd/ttrpc", "storj.io/drpc/..."},
	"experiments/ipc/echopb/echopbconnect":      {"connectrpc.com/connect", "experiments/ipc/echopb"},
	"experiments/ipc/echothrift":                {"github.com/apache/thrift/..."},
	"experiments/ipc/echothrift/echokitex":      {"github.com/cloudwego/gopkg/protocol/thrift"},
	"experiments/ipc/echothrift/echokitex/echo": {"github.com/cloudwego/kitex/...", "experiments/ipc/echothrift/echokitex"},
}

// inTests says what the tests of a package may import beyond that. The
// benchmarks of the experiments are tests.
var inTests = map[string][]string{
	"impl/counter":                       {"internal/contest"},
	"impl/histogram":                     {"internal/contest"},
	"impl/histogram/published":           {"internal/contest", "github.com/HdrHistogram/hdrhistogram-go"},
	"impl/histogram/examples/prometheus": {"github.com/prometheus/common/expfmt"},
	"impl/ipc/internal/wire":             {"impl/ipc/pb", "google.golang.org/protobuf/..."},
	"internal/chart":                     {"internal/claims", "internal/results/...", "internal/stats", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/advice":                    {"internal/results/..."},
	"internal/contention":                {"internal/results/..."},
	"internal/fleet":                     {"internal/results/..."},
	"internal/history":                   {"internal/claims", "internal/results/..."},
	"internal/report":                    {"internal/claims", "internal/results/...", "github.com/yuin/goldmark/..."},
	"internal/report/explorer":           {"internal/claims", "internal/results/...", "github.com/chromedp/..."},
	"internal/results":                   {"internal/results/synthetic"},
	"internal/run":                       {"internal/stats"},
	"internal/study":                     {"internal/results/synthetic"},
	"internal/ipctest":                   {"impl/ipc/...", "internal/ipctest/clientpb", "google.golang.org/protobuf/...", "github.com/Shopify/toxiproxy/v2/...", "github.com/rs/zerolog", "go.uber.org/goleak"},
	"cmd/benchrun":                       {"internal/results/synthetic"},
	"cmd/benchreport":                    {"internal/bench", "internal/results/..."},
	"experiments/counter": {"internal/bench", "internal/contest", "internal/jvm/...", "internal/measure",
		"github.com/puzpuzpuz/xsync/v4", "github.com/cockroachdb/crlib/crsync", "github.com/VictoriaMetrics/metrics", "github.com/prometheus/client_golang/...",
		"go.opentelemetry.io/otel/...", "github.com/rcrowley/go-metrics"},
	"experiments/multihistogram": {"impl/histogram/...", "internal/bench", "internal/contest", "internal/jvm/...", "internal/measure",
		"github.com/HdrHistogram/hdrhistogram-go", "github.com/VictoriaMetrics/metrics", "github.com/prometheus/client_golang/...",
		"github.com/prometheus/client_model/...", "go.opentelemetry.io/otel/...", "github.com/rcrowley/go-metrics", "github.com/DataDog/sketches-go/...",
		"github.com/circonus-labs/circonusllhist", "github.com/caio/go-tdigest/v4", "github.com/beorn7/perks/..."},
	"experiments/ipc": {"impl/ipc/...", "internal/bench", "internal/contest", "internal/measure", "experiments/ipc/echopb/...",
		"google.golang.org/grpc/...", "google.golang.org/protobuf/...", "connectrpc.com/connect", "github.com/containerd/ttrpc", "storj.io/drpc/...",
		"experiments/ipc/echothrift/...", "github.com/apache/thrift/...", "github.com/cloudwego/kitex/..."},
}

// pkg is what go list tells of a package.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImports(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, "hotpath/")
		if name == "hotpath" {
			continue // these tests
		}
		listed[name] = true
		if _, ok := allowed[name]; !ok {
			t.Errorf("%s is not in the table of allowed imports", name)
		}
		check(t, name, "", p.Imports, allowed[name], nil)
		check(t, name, " in tests", slices.Concat(p.TestImports, p.XTestImports), inTests[name], append(slices.Clip(allowed[name]), name))
	}
	for _, table := range []map[string][]string{allowed, inTests} {
		for name := range table {
			if !listed[name] {
				t.Errorf("%s is in a table, and there is no such package", name)
			}
		}
	}
}

// What reports links nothing that measures, in no roundabout way either.
func TestReportingMeasuresNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/benchreport").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	for _, p := range []string{"internal/contest", "internal/host", "internal/jvm", "internal/measure", "internal/revisions", "internal/run", "testing"} {
		if slices.Contains(deps, p) || slices.Contains(deps, "hotpath/"+p) {
			t.Errorf("cmd/benchreport links %s", p)
		}
	}
	if !slices.Contains(deps, "hotpath/internal/compare") {
		t.Errorf("cmd/benchreport links %q", deps)
	}
}

// check compares what a package imports with what it may, and what it may with
// what it imports; besides is allowed and need not be used.
func check(t *testing.T, name, where string, imports, may, besides []string) {
	t.Helper()
	used := map[string]bool{}
	for _, imp := range imports {
		imp = strings.TrimPrefix(imp, "hotpath/")
		i := slices.IndexFunc(may, func(m string) bool { return permits(m, imp) })
		if i >= 0 {
			used[may[i]] = true
		} else if !standard(imp) && !slices.ContainsFunc(besides, func(m string) bool { return permits(m, imp) }) {
			t.Errorf("%s must not import %s%s", name, imp, where)
		}
	}
	for _, m := range may {
		if !used[m] {
			t.Errorf("%s does not import %s%s: take the allowance away", name, m, where)
		}
	}
}

// own are the folders of this module.
var own = []string{"cmd/...", "experiments/...", "impl/...", "internal/..."}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !slices.ContainsFunc(own, func(m string) bool { return permits(m, path) })
}

// permits reports whether an allowance covers an import.
func permits(m, path string) bool {
	if tree, ok := strings.CutSuffix(m, "/..."); ok {
		return path == tree || strings.HasPrefix(path, tree+"/")
	}
	return path == m
}
