//go:build race

package ipctest

// race says that the race detector watches: memory bounds do not hold then, and
// everything takes several times as long.
const race = true
