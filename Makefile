BUDGET     ?= 30m
RUNS       ?= 3
CPUS       ?= 2
FLEET      ?= .fleet
FUZZTIME   ?= 10s
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.9.0

.PHONY: usage report plan quick render verify compare reproduce fleet fleet-status doctor test vulns fuzz mutants soak

usage:
	@echo 'make report     measure, then write REPORT.md, report/ and plots/; BUDGET=30m EXPERIMENT=name JVM=1'
	@echo 'make plan       what would a budget buy? BUDGET=30m EXPERIMENT=name'
	@echo 'make quick      a look at the judged blocks, in results/.quick/REPORT.md'
	@echo 'make render     write all pages from results/ without measuring, RUN=name'
	@echo 'make verify     are the pages what results/ gives?'
	@echo 'make compare    A= and B=: git revisions, . for the work tree; EXPERIMENT=name ONLY=pattern BUDGET=2m THRESHOLD=2 (%)'
	@echo '                with a chart in results/.compare/; or runs, or files of go test -bench; THRESHOLD=5 (%)'
	@echo 'make reproduce  measure, and compare ratios and verdicts with those of the committed run'
	@echo 'make fleet      the study on a Slurm cluster, NODES="partition or feature ...", or over ssh, HOSTS="a b"; RUNS=3 of each kind,'
	@echo '                BUDGET=30m each, EXPERIMENT=name, CPUS=2 at least; FLEET=folder that all nodes see'
	@echo 'make fleet-status  collect the runs that have ended, and begin what is missing'
	@echo 'make doctor     is this machine fit to measure?'
	@echo 'make test       prove the code, in a few minutes'
	@echo 'make vulns      is a vulnerability known in code that is used here? Says so where nobody can be asked'
	@echo 'make fuzz       FUZZTIME=10s for each fuzz target'
	@echo 'make mutants    plant bugs one at a time: does a test fail for each? ONLY=word'
	@echo 'make soak       10^9 updates of each counter and histogram, none lost, 10^8 on a JVM; 1,000 clients that go away in'
	@echo '                each state; every bit of results flipped; 10^4 trials of how compare decides'

report:
	go run ./cmd/benchrun $(if $(JVM),-jvm) -budget '$(BUDGET)' -experiment '$(EXPERIMENT)' || { go run ./cmd/benchreport; exit 1; }
	go run ./cmd/benchreport

plan:
	go run ./cmd/benchrun $(if $(JVM),-jvm) -plan -budget '$(BUDGET)' -experiment '$(EXPERIMENT)'

quick:
	rm -rf results/.quick
	go run ./cmd/benchrun -quick -results results/.quick -experiment '$(EXPERIMENT)'
	go run ./cmd/benchreport -results results/.quick -o results/.quick

render:
	go run ./cmd/benchreport -run '$(RUN)'

verify:
	go run ./cmd/benchreport -verify

compare: BUDGET = 2m
compare:
	@if [ '$(A)' != . ] && [ '$(B)' != . ] && [ -e '$(A)' ] && [ -e '$(B)' ]; then \
	go tool benchreport compare $(if $(THRESHOLD),-threshold '$(THRESHOLD)') '$(A)' '$(B)'; else \
	go tool benchrun compare -chart results/.compare -experiment '$(EXPERIMENT)' -only '$(ONLY)' -budget '$(BUDGET)' $(if $(THRESHOLD),-threshold '$(THRESHOLD)') '$(A)' '$(B)'; fi

reproduce:
	-go run ./cmd/benchrun -doctor
	go run ./cmd/benchrun -budget '$(BUDGET)' -experiment '$(EXPERIMENT)'
	go run ./cmd/benchreport -reproduce

fleet:
	go run ./cmd/benchrun fleet -nodes '$(NODES)' -hosts '$(HOSTS)' -runs '$(RUNS)' -budget '$(BUDGET)' -experiment '$(EXPERIMENT)' -cpus '$(CPUS)' -dir '$(FLEET)'

fleet-status:
	go run ./cmd/benchrun fleet -status -dir '$(FLEET)'

doctor:
	go run ./cmd/benchrun -doctor

test:
	test -z "$$(gofmt -l $$(git ls-files '*.go'))"
	go vet ./...
	go run $(STATICCHECK) ./...
	go test -timeout 30m ./...
	go test -tags portable,ipcdebug ./impl/... ./internal/contest
	go test -race ./impl/... ./internal/contest ./internal/ipctest
	for arch in 386 arm64; do GOARCH=$$arch go vet ./impl/... ./internal/contest || exit 1; done

# Without its database nothing is checked, which is no failure, and no pass either.
vulns:
	@out=$$(go run $(GOVULNCHECK) ./... 2>&1); code=$$?; echo "$$out"; case "$$out" in \
	*'fetching vulnerabilities'*) echo 'vulnerabilities: NOT CHECKED, their database is out of reach';; \
	*) exit $$code;; esac

fuzz:
	set -e; for p in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do for f in $$(go test -list '^Fuzz' ./$$p | grep ^Fuzz); do \
	go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) ./$$p; done; done

mutants:
	go run ./internal/mutants -only '$(ONLY)'

soak:
	HOTPATH_SOAK=1000000000 go test -count=1 -timeout 2h -v -run 'Conformance|Adaptive' ./impl/counter ./impl/histogram
	HOTPATH_SOAK=1 go test -count=1 -v -run 'Gone|Damage|FullDisk' ./internal/ipctest ./internal/results
	HOTPATH_SOAK=100000000 go test -count=1 -timeout 2h -v -run Originals ./experiments/counter ./experiments/multihistogram
	HOTPATH_TRIALS=10000 go test -count=1 -timeout 1h -run 'Equals|DifferencesAreFound' ./internal/revisions
