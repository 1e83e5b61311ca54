package bench

// Mode is the value of /mode= in a benchmark's name: which question it answers.
type Mode string

const (
	Throughput Mode = "thrpt"  // no clock inside the loop: what an operation costs
	Sample     Mode = "sample" // every operation timed
	Fixed      Mode = "fixed"  // a number of operations, and what the process spent on them
	Open       Mode = "open"   // a fixed rate, latency from the intended start
)

// Modes lists all of them, in the order of a report.
var Modes = []Mode{Sample, Throughput, Fixed, Open}

// Score is the unit that sums up a fork of the mode.
func (m Mode) Score() Unit {
	switch m {
	case Sample, Open:
		return MeanLatency
	case Fixed:
		return Real
	default:
		return TimePerOp
	}
}

// Reading names how GOMAXPROCS of a cell follows from the machine. The number
// that Go prints behind a benchmark's name differs from machine to machine;
// the reading does not.
type Reading string

const (
	One       Reading = "one"       // GOMAXPROCS=1
	NumCPU    Reading = "numcpu"    // one P for each CPU: how Go programs run
	PerThread Reading = "perthread" // one P and one locked OS thread for each worker
)

// Readings lists all of them.
var Readings = []Reading{One, NumCPU, PerThread}

// Procs is GOMAXPROCS under the reading, for so many workers on a machine that
// Go programs use so many CPUs of.
func (r Reading) Procs(threads, cpus int) int {
	switch r {
	case One:
		return 1
	case PerThread:
		return threads
	default:
		return cpus
	}
}

// Tier orders the cells of an experiment by how much depends on them.
type Tier string

const (
	Judged Tier = "judged" // claims and the control are decided on these cells
	Peers  Tier = "peers"  // everything that is shown beside them
)

// Tiers lists all of them, the one that is measured first ahead.
var Tiers = []Tier{Judged, Peers}

// Role says why a contestant takes part.
type Role string

const (
	Floor     Role = "floor"     // does nothing, or as little as nobody can avoid
	Published Role = "published" // of the study that is re-created
	Control   Role = "control"   // a published one a second time
	Ours      Role = "ours"      // of impl/, beyond the published ones
	Plain     Role = "plain"     // what a program writes itself, without a library
	Peer      Role = "peer"      // of another library
)

// Roles lists all of them.
var Roles = []Role{Floor, Published, Control, Ours, Plain, Peer}

// Ranked reports whether a contestant of the role can be the fastest or the
// slowest of a block: the floor is no contestant, and the control one twice.
func (r Role) Ranked() bool { return r != Floor && r != Control }

// JVM is the lane of contestants that run on a Java virtual machine: the value of
// /lane= in the names of blocks that hold them beside Go's.
const JVM = "jvm"

// State is how a fork ended.
type State string

const (
	Complete State = "complete"
	Failed   State = "failed"    // ended by itself, without exactly one line of the expected name
	TimedOut State = "timed out" // killed at its deadline
)

// The environment variables by which a runner speaks to a test binary.
const (
	EnvPlan    = "HOTPATH_PLAN"    // 1: print one JSON object a line for each cell, run nothing
	EnvReading = "HOTPATH_READING" // which reading of GOMAXPROCS this process was given
	EnvHlog    = "HOTPATH_HLOG"    // file for the merged histogram, as an HdrHistogram log
	EnvHeap    = "HOTPATH_HEAP"    // file for the heap over time, as CSV
	EnvLane    = "HOTPATH_LANE"    // the lane that this machine has beside Go
)
