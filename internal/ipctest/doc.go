// Package ipctest holds the server of package ipc against clients that mean it
// no good and clients that nobody here wrote. It has tests alone, apart from
// package ipc because they need more than the standard library.
//
// They prove that every malformed frame gets a typed exception or a closed
// connection and the next client an answer; that floods, slow readers, slow
// writers, half-closed and broken connections cost bounded memory and time; that
// a shutdown gives each caller exactly one result; that nothing is left behind,
// goroutine or file; and that another project's client and the recorded bytes of
// a third are understood.
package ipctest
