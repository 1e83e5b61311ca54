// Package pin tells which P a goroutine runs on, for data that is kept per P; a P
// is what the runtime needs to run Go code, and there are GOMAXPROCS of them.
//
// The Go runtime keeps the two functions for packages that link to them
// (golang/go#67401), and a release without them fails to link. With the build tag
// portable, the race detector, other compilers and on 32-bit machines the runtime
// is not asked: an id is then a good guess, and two goroutines may have the same
// one at once.
package pin
