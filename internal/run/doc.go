// Package run measures: it builds the benchmark package of each experiment, holds
// heats of its contestants, and writes the run to a folder below results/.
//
// # Heats
//
// A machine changes within seconds: a hypervisor moves its CPUs, a neighbour on
// the same core comes and goes. Contestants that are measured seconds apart are
// measured on different machines. So a heat keeps a fresh process of each
// contestant of a block alive, a fork, and lets them measure by turns of
// milliseconds. Each makes its contestant, musters its workers, warms up and
// parks; a parked fork is stopped by the kernel, so that nothing of it ticks.
// Then come laps: one turn of each fork, in an order that is shuffled anew.
// Between laps the runner's own threads take all CPUs for a millisecond or two, to
// see how many they get, and how far apart these are. Heats take turns through
// binaries whose functions are linked in different orders.
//
// At most eight contestants are alive in a heat, and together they hold no more
// than half of the memory that was free when the run began. A larger block is
// measured in parts; each has the block's baseline, its control, and the peer
// that its row names as the one to beat. A contestant that does not fit the
// memory is measured in a heat of its own, beside the baseline.
//
// # Gates
//
// Noise on a shared machine does not only widen results, it moves them. Threads
// that contend for one cache line slow each other down only while they run at
// the same moment. When another process takes one of the CPUs away they take
// turns instead, the line stays where it is, and the contended counter looks
// faster, several times so, while an uncontended one looks slower. No statistic
// over the results can see it. So a turn counts only under physical conditions,
// which are fixed before the run and never look at what was measured:
//
//   - workers that never park kept the CPUs busy that they could use;
//   - where workers park, the runner's threads got all CPUs before and after;
//   - where a turn must hold the workers, all of them ran but for a few;
//   - over a window of at least two seconds of consecutive laps, since the kernel
//     counts in ticks: others used little of the CPUs, the hypervisor took little
//     of them, and no parked fork used any to speak of.
//
// Laps that a gate spoilt are run again at the end of the heat, up to half as many
// as planned. A neighbour that stays for minutes spoils whole heats: where the
// windows fail from the first one on, the heat is broken off and held again after
// all others, as is one of whose forks none counts in the end. For that a run may
// take up to half as long again as planned; then heats are held to their end as the
// machine is. What was gated is kept, marked.
//
// # What a run survives
//
// A fork that hangs, dies, or answers what cannot be, costs its heat one
// contestant. A run that is interrupted, or killed at any moment, loses at most
// the heat in flight; the same command goes on.
//
// # Kits
//
// A machine without Go makes a run from a [Kit], a folder of binaries that need none
// of its libraries: all machines that share a kit run the same bytes.
//
// # Heats outside of a run
//
// A [Conductor] holds heats for who compares programs without a run: of contestants
// of several builds, or of programs that know nothing of turns.
package run
