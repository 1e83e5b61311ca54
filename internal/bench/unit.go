package bench

import (
	"fmt"
	"io"
	"strconv"
)

// Quantity is what a unit counts, and so how its values are printed.
type Quantity int

const (
	Number  Quantity = iota // of anything
	Nanos                   // nanoseconds
	Seconds                 // seconds
	Bytes
	Share // a part of 1
)

// Unit is a metric as benchmarks print it. Units are declared here and nowhere
// else; they can be compared.
type Unit struct {
	Name     string
	Better   string // lower, higher, or empty for a fact that is neither
	Words    string // what it is, for a reader
	Quantity Quantity
}

var declared []Unit

func declare(name, better, words string, q Quantity) Unit {
	u := Unit{name, better, words, q}
	declared = append(declared, u)
	return u
}

func lower(name, words string, q Quantity) Unit { return declare(name, "lower", words, q) }
func fact(name, words string, q Quantity) Unit  { return declare(name, "", words, q) }

// quantiles declares a unit for each percentile of a distribution.
func quantiles(kind, words string, q Quantity, percentiles []float64) map[float64]Unit {
	units := map[float64]Unit{}
	for _, p := range percentiles {
		at := "p" + strconv.FormatFloat(p, 'g', -1, 64)
		units[p] = lower(at+"-"+kind, at+words, q)
	}
	return units
}

// The percentiles that benchmarks print of a latency, and of an error.
var (
	Percentiles      = []float64{50, 90, 95, 99, 99.9, 99.99}
	ErrorPercentiles = []float64{50, 99, 99.9, 99.99}
)

// The units of the study. Those of the testing package come first.
var (
	TimePerOp   = lower("ns/op", "time per operation", Nanos)
	BytesPerOp  = lower("B/op", "allocated", Bytes)
	AllocsPerOp = lower("allocs/op", "allocations", Number)

	CPUPerOp     = lower("cpu-ns/op", "CPU", Nanos)
	MeanLatency  = lower("mean-latency-ns", "mean latency", Nanos)
	latencies    = quantiles("latency-ns", "", Nanos, Percentiles)
	services     = quantiles("service-ns", "", Nanos, Percentiles)
	AchievedRate = declare("achieved-rate", "higher", "operations per second", Number)

	Real       = lower("real-sec", "time", Seconds)
	User       = lower("user-sec", "user time", Seconds)
	System     = lower("sys-sec", "system time", Seconds)
	CPUSeconds = lower("cpu-sec", "CPU time", Seconds)
	GCShare    = lower("gc-share", "garbage collector's share of the CPU", Share)
	PeakHeap   = lower("peak-heap-B", "peak heap", Bytes)

	GCCycles   = lower("gc-cycles/op", "collections", Number)
	GCCPU      = lower("gc-cpu-ns/op", "garbage collector's CPU", Nanos)
	GCPauseP50 = lower("gc-pause-p50-ns", "pause, p50", Nanos)
	GCPauseP99 = lower("gc-pause-p99-ns", "pause, p99", Nanos)
	GCPauseMax = lower("gc-pause-max-ns", "pause, longest", Nanos)

	ServerCPU      = lower("server-cpu-ns/op", "server's CPU", Nanos)
	ServerUser     = lower("server-user-ns/op", "server's user time", Nanos)
	ServerSystem   = lower("server-sys-ns/op", "server's system time", Nanos)
	ServerBytes    = lower("server-B/op", "allocated by the server", Bytes)
	ServerAllocs   = lower("server-allocs/op", "server's allocations", Number)
	ServerGCShare  = lower("server-gc-share", "garbage collector's share of the server's CPU", Share)
	ServerGCCycles = lower("server-gc-cycles/op", "server's collections", Number)
	ServerGCCPU    = lower("server-gc-cpu-ns/op", "CPU of the server's garbage collector", Nanos)

	CopiedBytes    = lower("copied-B/op", "copied", Bytes)
	PathAllocBytes = lower("path-alloc-B/op", "allocated by the path", Bytes)
	Reads          = lower("reads/op", "reads", Number)
	Writes         = lower("writes/op", "writes", Number)

	TimePerUpdate     = lower("ns/update", "time per update", Nanos)
	errorsOf          = quantiles("error", "", Share, ErrorPercentiles)
	SnapshotTime      = lower("snapshot-ns", "snapshot", Nanos)
	SnapshotAllocs    = lower("snapshot-allocs", "snapshot's allocations", Number)
	SnapshotBytes     = lower("snapshot-B", "allocated by a snapshot", Bytes)
	BytesPerHistogram = lower("B/histogram", "heap per histogram", Bytes)
	BytesPerCounter   = lower("B/counter", "memory of a counter", Bytes)

	CountedCells = fact("cells", "cells", Number)
	Operations   = fact("ops", "operations", Number)
	WorkersRun   = fact("workers-run", "workers that ran", Number)
	Parallelism  = fact("parallelism", "CPUs kept busy", Number)
	Turns        = fact("turns", "turns kept", Number)
	WarmUp       = fact("warm-up-sec", "warm-up", Seconds)
)

// Latency is the latency at one of Percentiles.
func Latency(percentile float64) Unit { return latencies[percentile] }

// Service is the latency at one of Percentiles from when an operation did begin.
func Service(percentile float64) Unit { return services[percentile] }

// QuantileError is how far off the quantile at one of ErrorPercentiles is,
// relative to the exact one.
func QuantileError(percentile float64) Unit { return errorsOf[percentile] }

// Units lists every unit, in the order of its declaration.
func Units() []Unit { return declared }

// standard are the units that every reader of benchmarks knows.
var standard = map[string]bool{"ns/op": true, "B/op": true, "allocs/op": true, "MB/s": true}

// Standard reports whether the testing package prints the unit by itself: any
// other one must be declared by a Unit line.
func Standard(name string) bool { return standard[name] }

// WriteUnits prints the Unit lines that belong ahead of the results.
func WriteUnits(w io.Writer) error {
	for _, u := range declared {
		if Standard(u.Name) {
			continue
		}
		line := "Unit " + u.Name
		if u.Better != "" {
			line += " better=" + u.Better
		}
		if _, err := fmt.Fprintln(w, line+" assume=nothing"); err != nil {
			return err
		}
	}
	return nil
}

// UnitNamed finds a unit by its name.
func UnitNamed(name string) (Unit, bool) {
	for _, u := range declared {
		if u.Name == name {
			return u, true
		}
	}
	return Unit{}, false
}

// String is the unit's name.
func (u Unit) String() string { return u.Name }

func (u Unit) MarshalText() ([]byte, error) { return []byte(u.Name), nil }

// UnmarshalText knows the declared units by their names.
func (u *Unit) UnmarshalText(name []byte) error {
	found, ok := UnitNamed(string(name))
	if !ok {
		return fmt.Errorf("%.40q is no unit that the study declares", name)
	}
	*u = found
	return nil
}
