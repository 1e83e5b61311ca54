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

// allowed says what each package may import besides the standard library, its
// tests included; a name ending in /... stands for all below it. Measuring and
// reporting meet in files alone, and impl/ stays light for its importers.
var allowed = map[string][]string{
	"impl/counter":                       {"impl/internal/pin", "internal/contest"},
	"impl/counter/published":             nil,
	"impl/histogram":                     {"impl/histogram/internal/hdr", "impl/internal/pin", "internal/contest", "github.com/HdrHistogram/hdrhistogram-go"},
	"impl/histogram/internal/hdr":        nil,
	"impl/histogram/published":           {"impl/counter/published", "impl/histogram", "impl/histogram/internal/hdr", "github.com/HdrHistogram/hdrhistogram-go"},
	"impl/internal/pin":                  nil,
	"impl/ipc":                           {"impl/ipc/internal/..."},
	"impl/ipc/internal/wire":             {"impl/ipc/pb", "google.golang.org/protobuf/..."},
	"impl/ipc/internal/path":             {"impl/ipc/internal/wire"},
	"impl/ipc/steps":                     {"impl/ipc", "impl/ipc/internal/..."},
	"impl/histogram/examples/prometheus": {"impl/histogram", "github.com/prometheus/client_golang/...", "github.com/prometheus/client_model/..."},
	"impl/histogram/examples/expvar":     {"impl/histogram"},
	"impl/ipc/pb":                        {"google.golang.org/protobuf/..."},
	"internal/contest":                   {"impl/...", "internal/bench"},
	"internal/ipctest":                   {"impl/ipc/...", "internal/ipctest/...", "google.golang.org/protobuf/...", "github.com/Shopify/toxiproxy/v2/...", "github.com/rs/zerolog", "go.uber.org/goleak"},
	"internal/ipctest/clientpb":          {"google.golang.org/protobuf/..."},
	"internal/host":                      {"golang.org/x/sys/...", "github.com/prometheus/procfs/...", "github.com/klauspost/cpuid/v2"},
	"internal/stats":                     {"github.com/aclements/go-moremath/..."},
	"internal/measure":                   {"internal/host", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/claims":                    {"internal/stats", "github.com/pelletier/go-toml/v2/..."},
	"internal/results":                   {"golang.org/x/perf/...", "github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys/unix"},
	"internal/chart":                     {"internal/results", "internal/stats", "internal/claims", "gonum.org/v1/plot/...", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/report":                    {"internal/results", "internal/stats", "internal/claims", "internal/chart", "github.com/HdrHistogram/hdrhistogram-go"},
	"internal/compare":                   {"internal/results", "internal/stats", "golang.org/x/perf/..."},
	"cmd/benchrun":                       {"internal/results", "internal/host", "github.com/schollz/progressbar/v3", "golang.org/x/term"},
	"cmd/benchreport":                    {"internal/results", "internal/report", "internal/compare"},
	"experiments/counter": {"internal/bench", "internal/contest", "internal/measure",
		"github.com/puzpuzpuz/xsync/v4", "github.com/cockroachdb/crlib/crsync", "github.com/VictoriaMetrics/metrics", "github.com/prometheus/client_golang/...",
		"go.opentelemetry.io/otel/...", "github.com/rcrowley/go-metrics"},
	"experiments/multihistogram": {"internal/bench", "internal/contest", "internal/measure",
		"github.com/HdrHistogram/hdrhistogram-go", "github.com/VictoriaMetrics/metrics", "github.com/prometheus/client_golang/...",
		"github.com/prometheus/client_model/...", "go.opentelemetry.io/otel/...", "github.com/rcrowley/go-metrics", "github.com/DataDog/sketches-go/...",
		"github.com/circonus-labs/circonusllhist", "github.com/caio/go-tdigest/v4", "github.com/beorn7/perks/..."},
	"experiments/ipc": {"impl/ipc/...", "internal/bench", "internal/contest", "internal/measure", "experiments/ipc/echopb/...",
		"google.golang.org/grpc/...", "google.golang.org/protobuf/...", "connectrpc.com/connect", "github.com/containerd/ttrpc", "storj.io/drpc/..."},
	"experiments/ipc/echopb":               {"google.golang.org/grpc/...", "google.golang.org/protobuf/...", "github.com/containerd/ttrpc", "storj.io/drpc/..."},
	"experiments/ipc/echopb/echopbconnect": {"connectrpc.com/connect", "experiments/ipc/echopb"},
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
		may, listed := allowed[name]
		if !listed {
			t.Errorf("%s is not in the table of allowed imports", name)
		}
		for _, imp := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if !standard(imp) && imp != p.ImportPath && !permits(may, strings.TrimPrefix(imp, "hotpath/")) {
				t.Errorf("%s must not import %s", name, imp)
			}
		}
		if name == "internal/chart" || name == "internal/report" {
			if slices.Contains(p.Imports, "testing") {
				t.Errorf("%s must not import testing", name)
			}
		}
	}
}

func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return first != "hotpath" && !strings.Contains(first, ".")
}

func permits(may []string, path string) bool {
	return slices.ContainsFunc(may, func(m string) bool {
		if tree, ok := strings.CutSuffix(m, "/..."); ok {
			return path == tree || strings.HasPrefix(path, tree+"/")
		}
		return path == m
	})
}
