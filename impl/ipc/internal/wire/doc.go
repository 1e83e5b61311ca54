// Package wire is the protocol's messages as bytes: its headers, the preamble and
// the lengths of frames, for server and clients. Nothing in it allocates to
// parse what is sound, but for exceptions, and what it returns are views.
package wire
