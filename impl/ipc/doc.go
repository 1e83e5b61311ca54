// Package ipc is the RPC protocol of HBase 0.96, as a server and as a client, for
// programs that move large values: the server copies none of a request's or an
// answer's bytes and allocates nothing per call.
//
// A [Server] serves methods by name. Their requests and answers are a protobuf
// message, which handlers encode as they like, and a block of cells, each an
// encoded [KeyValue]. A [Client] makes any number of calls at a time over one
// connection. Neither authenticates nor encrypts.
//
// # Lifetimes
//
// A handler sees its request where it was read, in a pooled [Frame]. The view dies
// when the handler returns: a handler that keeps a part copies it, or retains the
// frame. Answers are gathered from where their parts lie, which may be the
// request; one that begins with the request's own cells is written over the
// request, in one piece, unless the frame is retained. Built with the tag
// ipcdebug, frames that nobody holds are inaccessible, and a late use faults where
// it happens; use it in tests of handlers.
package ipc
