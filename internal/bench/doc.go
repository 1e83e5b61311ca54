// Package bench holds the words of the study as types: what is measured, under
// which name, in which unit, and what a measurement must meet to count. Every
// other package speaks in them, so that a value that one of them computed
// reaches the next as a value and not as text to take apart.
//
// A cell is one benchmark under one reading of GOMAXPROCS. Its name is data:
//
//	BenchmarkAdd/impl=perp/mode=thrpt/threads=32
//
// and says who is measured (impl, the contestant), how (mode), and everything
// else that varies. A block is the cells that differ in the contestant alone:
// what is compared with what.
package bench
