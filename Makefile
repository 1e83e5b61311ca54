BUDGET     ?= 30m
THRESHOLD  ?= 5
FUZZTIME   ?= 10s
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: usage report plan quick render verify compare reproduce doctor test fuzz soak

usage:
	@echo 'make report     measure, then write REPORT.md and plots/; BUDGET=30m EXPERIMENT=name'
	@echo 'make plan       what would a budget buy? BUDGET=30m EXPERIMENT=name'
	@echo 'make quick      a look at the judged blocks, in results/.quick/REPORT.md'
	@echo 'make render     write REPORT.md and plots/ from results/ without measuring, RUN=name'
	@echo 'make verify     is REPORT.md what results/ gives?'
	@echo 'make compare    A= and B=: runs, or files of go test -bench; THRESHOLD=5 (%)'
	@echo 'make reproduce  measure, and compare the verdicts with those of the committed run'
	@echo 'make doctor     is this machine fit to measure?'
	@echo 'make test       prove the code, in a few minutes'
	@echo 'make fuzz       FUZZTIME=10s for each fuzz target'
	@echo 'make soak       10^9 updates of each counter and histogram, none lost'

report:
	go run ./cmd/benchrun -budget '$(BUDGET)' -experiment '$(EXPERIMENT)' || { go run ./cmd/benchreport; exit 1; }
	go run ./cmd/benchreport

plan:
	go run ./cmd/benchrun -plan -budget '$(BUDGET)' -experiment '$(EXPERIMENT)'

quick:
	rm -rf results/.quick
	go run ./cmd/benchrun -quick -results results/.quick -experiment '$(EXPERIMENT)'
	go run ./cmd/benchreport -results results/.quick -o results/.quick

render:
	go run ./cmd/benchreport -run '$(RUN)'

verify:
	go run ./cmd/benchreport -verify

compare:
	@go tool benchreport compare -threshold '$(THRESHOLD)' '$(A)' '$(B)'

reproduce:
	-go run ./cmd/benchrun -doctor
	go run ./cmd/benchrun -budget '$(BUDGET)' -experiment '$(EXPERIMENT)'
	go run ./cmd/benchreport -reproduce

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

fuzz:
	set -e; for p in impl/ipc impl/ipc/internal/wire impl/ipc/internal/path impl/histogram internal/ipctest; do for f in $$(go test -list '^Fuzz' ./$$p | grep ^Fuzz); do \
	go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) ./$$p; done; done
soak:
	HOTPATH_SOAK=1000000000 go test -count=1 -timeout 2h -v -run 'Conformance|Adaptive' ./impl/counter ./impl/histogram
