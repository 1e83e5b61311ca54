# The commands of the study; `make` explains them.
BUDGET     ?= 30m
THRESHOLD  ?= 5
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: usage report quick render verify compare reproduce doctor test soak

usage:
	@echo 'make report     measure on this machine, then write REPORT.md and plots/'
	@echo '                BUDGET=30m for all experiments, EXPERIMENT=counter for one alone'
	@echo 'make quick      a look in under 90 seconds, in results/.quick/REPORT.md'
	@echo 'make render     write REPORT.md and plots/ from results/ without measuring, RUN=name'
	@echo 'make verify     is REPORT.md what results/ gives?'
	@echo 'make compare    A= and B=: runs, or files of go test -bench; THRESHOLD=5 (%)'
	@echo 'make reproduce  measure, and compare the verdicts with those of the committed run'
	@echo 'make doctor     is this machine fit to measure?'
	@echo 'make test       prove the code, in a few minutes'
	@echo 'make soak       10^9 updates of each counter, none lost'

report:
	go run ./cmd/benchrun -budget '$(BUDGET)' -experiment '$(EXPERIMENT)' || { go run ./cmd/benchreport; exit 1; }
	go run ./cmd/benchreport

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
	go test -tags portable ./impl/counter ./impl/histogram ./impl/internal/... ./internal/contest
	go test -race ./impl/... ./internal/contest
	GOARCH=386 go vet ./impl/... ./internal/contest
	GOARCH=arm64 go vet ./impl/... ./internal/contest

soak:
	HOTPATH_SOAK=1000000000 go test -count=1 -timeout 2h -v -run Soak ./internal/contest
