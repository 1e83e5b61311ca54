// Package multihistogram asks what it costs to record latencies in hundreds of
// histograms from hundreds of threads, and which histogram a server should use
// for its metrics.
//
// It re-creates the second benchmark of HBASE-16146, "Counters are expensive":
// 500 histograms stay in memory, each operation picks ten of them at random and
// updates them, 200 threads do so, and JMH's sample mode reports the latency of
// an operation. The study compared HBase's FastLongHistogram over the Counter
// with and without a ThreadLocal, the MutableTimeHistogram around it, and
// HdrHistogram's AtomicHistogram and ConcurrentHistogram.
//
// # Method
//
// Every contestant is measured in three ways that take no time inside the loop:
// 200 workers on 500 histograms with one P for each CPU, which is how Go
// programs run; the same with 200 Ps, each worker locked to an OS thread, which
// is how the published study ran; and 200 workers on a single histogram, for the
// one that everybody updates. The published contestants are measured in a fourth
// way, again with 200 OS threads: every operation is timed, and its mean and
// percentiles are what the published figures are compared with. An operation is
// ten updates; ns/update is a tenth of its wall time over all workers. Where
// workers share the Ps, each yields after a batch of operations, so that all of
// them take part in a short run; a batch is long beside a yield. set_batch and
// atomic_batch make one call of the ten updates; all others make ten.
//
// With far more workers than CPUs, a mean latency is the number of workers over
// the throughput: it is the time until a worker has its turn again, whatever the
// histogram. The percentiles below that of the scheduler's turns tell the
// histogram's own latency; throughput and CPU time per operation, what it costs.
//
// Values are latencies in nanoseconds, lognormal with a median of 1 ms and a
// sigma of 1: 4,096 equally likely values, each raised by up to a 64th at random,
// so that all buckets about the middle of the distribution are in use. Histograms
// of HdrHistogram's kind tell apart 1 ns to 1 h with three significant digits,
// but for the ConcurrentHistogram, which finds its range itself. Before the clock
// starts each histogram has got 512 values, so that what grows with the values
// has grown, and each FastLongHistogram has placed its bins three times, as it
// does in HBase in each period of its metrics.
//
// All run at GOGC=800, so that collections are rare, as they are in a JVM with a
// heap of gigabytes. A collection stops all threads, and where there are hundreds
// for a few CPUs it takes until the last of them has had its turn to notice. A
// contestant that allocates therefore shows less of that cost here than at Go's
// default.
//
// The floor draws the same histograms and values and adds them up in memory of
// the worker's own. The control is the FastLongHistogram a second time, as a
// contestant of its own.
//
// Beside its cost stands what a histogram is good for. The error of a quantile is
// its relative distance from the exact one, of a million values of the load
// recorded in a single histogram. A quantile is the contestant's own estimate.
// Where a library has buckets and leaves the estimate to a monitoring system, it
// is that system's: linear inside buckets with explicit bounds, exponential
// inside those of exponential histograms. The memory of a histogram is what 500
// keep reachable after the run, over 500; what workers or Ps keep for themselves
// is in it as far as the histograms hold it. A snapshot is one reading of all
// 500 as for a monitoring system, in time, allocations and bytes for each, with
// the reader's buffers in place where a library can use them.
//
// Peers are called as their documentation shows. Histograms with explicit
// buckets have 20, each twice as wide as the one before, from 10 µs on;
// Prometheus's native ones have a factor of 1.1 and at most 160 buckets, and so
// have OpenTelemetry's exponential ones; go-metrics samples keep 1,028 values; a
// t-digest has a compression of 100; a perks stream targets the quantiles shown.
// hdrhistogram-go, DDSketch, t-digest and perks are not safe for concurrent use
// and have a mutex for each histogram. A contestant with a mutex parks its
// workers, and then others run in their place. promset is our vector for the
// Prometheus client, with the options of promnative and behind the same interface;
// its snapshot, like promnative's, is a series as a scrape collects it.
//
// # How this differs from the published study
//
// The source of the study's benchmark, MultiHistogramBenchmark, could not be
// found. Its values, their distribution, and the range and the digits of its
// HdrHistograms are unknown; those above are a choice. So is that the bins of
// FastLongHistogram fit the values: a histogram that was never reset counts all
// of them in its last bin, and is faster. Nothing is known of the study's
// machine, except that it ran 200 threads on it.
//
// A Java thread finds what a ThreadLocal holds in a hash table of its own, which
// has an entry for each Counter that the thread ever incremented: about 130,000
// for 500 histograms of 260 Counters. This look-up is what the study measured.
// A goroutine has no such table, so fastlong_tl gives one to each worker: open
// addressing, keyed by counter, as Java's. It is filled while the clock runs, for
// a run of a second is too short to meet every counter of every histogram, and it
// is bounded where Java's is not: see FastLongLocal in impl/histogram/published. Without a
// ThreadLocal a goroutine hashes where its stack lies, because it shows no
// identity.
//
// JMH's sample mode keeps a bounded buffer: when it is full, JMH drops samples
// by halving the counts of its buckets, but never halves one to zero, so that the
// published percentiles from p99.99 up are too high by an unknown factor. Its
// error of the mean treats every sample as independent. Here every operation is
// recorded, none is dropped, and the error is half the interval of the median
// between fresh processes.
//
// The published runs took over a billion samples each, over many minutes. A fork
// here lasts about a second, so that percentiles are merged from many forks, and
// pauses rarer than a second are missing.
//
// # The originals
//
// With JVM=1, where a JDK is, the published histograms run on a JVM as well, in heats that they
// share with their re-creations in Go: what differs there is the language or the
// re-creation, not the machine. These heats have names of their own, with
// /lane=jvm, and a control of their own. AtomicHistogram and ConcurrentHistogram
// are those of HdrHistogram's library; HBase's are written anew from a description
// of what they do, and put a million values of the load into the same buckets as
// the ones in Go. A JVM's heap has its full size from the start, and G1 collects. A
// JVM warms up until its compiler has next to nothing to do and operations cost as
// much CPU time as just before, for six seconds at most; warm-up-sec is what that
// took. As in JMH, what is timed is called, not put in line. The ThreadLocals of
// jvm_fastlong_tl have no bound, and are still being filled while the clock runs.
//
// # What is not re-created
//
// The study gives no figure for the memory of its histograms, for the cost of
// reading them or for their accuracy, and none for one histogram alone; what is
// reported of these here has nothing published beside it. HBase reads its
// histograms once in each period of its metrics while they are updated. Neither
// the study nor the timed part of this experiment does so; that no reader loses
// an update or makes one wait is a matter of tests.
package multihistogram
