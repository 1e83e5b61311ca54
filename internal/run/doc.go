// Package run measures: it builds the benchmark package of each experiment,
// runs every cell many times in fresh processes and an order that is shuffled
// anew in each round, and writes the run to a folder below results/.
package run
