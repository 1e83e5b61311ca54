// Package counter asks what a counter costs when many threads increment it at
// once, and which counter a hot path should use.
//
// It re-creates the first benchmark of HBASE-16146, "Counters are expensive":
// 32 threads increment one counter, and JMH's sample mode reports the latency
// of an increment. The study compared an AtomicLong, HBase's own striped
// Counter with and without a ThreadLocal that remembers each thread's stripe,
// and the JDK's LongAdder.
//
// # Method
//
// Every contestant is measured in four ways. One worker with GOMAXPROCS=1
// shows the cost without contention. 32 workers with one P for each CPU is how
// Go programs run: no more goroutines run at once than there are CPUs. 32
// workers with 32 Ps, each locked to an OS thread, is how the published study
// ran; there the operating system decides who runs. These three count
// operations against the clock and take no time inside the loop. The fourth,
// again with 32 OS threads, times every single increment, as the study did;
// its mean and percentiles are what the published figures are compared with.
//
// The operation is an increment by one, inside a loop that the compiler
// inlines, so that nobody pays for a call that a user would not pay. The floor
// is a plain increment of memory that the worker owns, in sample mode with the
// two clock reads around it: no figure below it means anything. The control is
// the atomic counter a second time, as a contestant of its own: two names for
// the same code must come out equal.
//
// # How this differs from the published study
//
// The study ran on a JVM under JMH, on a machine with many more cores than
// most that will run this; its text does not say which. Contention is a matter
// of how many cores fight over one cache line: 32 threads on two CPUs fight
// two at a time. Ratios between contestants therefore come out smaller here
// than on a large machine, and magnitudes are judged only where 16 CPUs or
// more are there; the order of the contestants is judged everywhere.
//
// A Java thread has an identity that a counter can hash; a goroutine shows
// none. HBase's Counter therefore hashes where the goroutine's stack lies, and
// what Java remembers in a ThreadLocal, or LongAdder in the thread, is in a
// view that each worker holds: see the package comment of impl/counter/published.
//
// JMH's sample mode keeps a bounded buffer: when it is full, JMH drops samples
// by halving the counts of its buckets, but never halves one to zero, so that
// rare slow samples keep their weight while the common ones lose theirs, and
// the published percentiles from p99.99 up are too high by an unknown factor.
// Its error of the mean treats every sample as independent, which leaves out
// what differs between runs of the same benchmark. Here every operation is
// recorded, none is dropped, and the error is half the interval of the median
// between fresh processes. A latency that is not above the floor's is the
// clock's, not the counter's.
//
// # The originals
//
// With JVM=1, where a JDK is, the published counters run on a JVM as well, in heats that they
// share with their re-creations in Go: what differs there is the language or the
// re-creation, not the machine. These heats have names of their own, with
// /lane=jvm, and a control of their own. AtomicLong and LongAdder are the JDK's;
// HBase's Counters are written anew from a description of what they do. A JVM's
// heap has its full size from the start, and G1 collects. A JVM warms up until its
// compiler has next to nothing to do and operations cost as much CPU time as just
// before, for six seconds at most; warm-up-sec is what that took. As in JMH, what
// is timed is called, not put in line.
//
// # What is not measured
//
// The Go port of LongAdder in linxGnu/go-adder: the version that the Go module
// proxy has is under the GNU General Public License, which the programs that this
// repository builds cannot be put under.
//
// # What is not re-created
//
// The study set out from a profile: over a tenth of the CPU of a region server
// under YCSB workload c was spent in Counter#add, and disabling some counters
// gave a tenth more throughput. That needs HBase and its workload; a loop of
// nothing but increments shows the price of one increment, not its share of a
// server's time.
package counter
