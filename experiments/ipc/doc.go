// Package ipc asks what the copies cost that an RPC server makes of its
// answers, and how close to a bare socket a server comes without them.
//
// It re-creates HBASE-5945, "Reduce buffer copies in IPC server response path":
// a client sends ten cells of 10 kB, the server of HBase 0.96 sends them back,
// and a shell's time tells what many such calls took before and after a patch
// that writes an answer from where its parts lie.
//
// # Method
//
// The published run has the server and one caller in one process. After a
// warm-up it makes a fixed number of calls, one after the other, and reports
// the real, user and system seconds of that work. The client is the same for
// every contestant, and allocates and copies as the study's Java client did, so
// that only the server's response path differs. before serialises the cells
// into a buffer that doubles as it fills, and copies that into a second one,
// which is allocated four bytes short and so doubles too. after is the patch: it
// gathers the header, the message and the cells where they are. pooled goes on
// from there: it reads a request into a frame that is used again, takes the
// cells for views into that frame, and writes the answer from them. An echo suits
// it best: the answer's cells are the request's, so that its head is laid in front
// of them and all of it written in one piece; other answers are gathered. The control
// is before a second time: two names for the same code must come out equal.
// Every path counts the bytes that it copies and allocates.
//
// Between before and after, and between after and pooled, stand steps of our
// own. oneframe copies the block into a frame of the right size, direct
// serialises the cells into the frame without a block before it; presize gives
// the block of after its size at once, pooledblock uses it again, views leaves
// the cells where the request has them, and onecopy reads requests into frames
// that are used again, which leaves one copy, into the block. worker is pooled
// with a handler that may block: it runs where its request was read, and if it
// takes long another goroutine reads on.
//
// A server that shares its process with its client shares its collector and its
// scheduler too. All other cells therefore run the server in a second process,
// and report what that process alone used: CPU time, allocations, the
// collector's share and pauses, and system calls that read and write. What
// stands there as cpu-ns/op and B/op is the client's. One connection, sixteen,
// and one with eight calls under way are measured, with cells of 10 kB and of
// 100 bytes. Our paths have a client of ours here that allocates nothing and gets
// its cells encoded, as the floor's client has its frame; every peer has its own.
// The floor is a socket, one buffer and a length: it reads a request whole and
// writes it back, and knows no calls and no errors.
//
// Latency is measured twice. With every call timed, and the next one made when
// it is answered, a server that stops delays one call of each caller and no
// more. In the open loop calls begin at a fixed rate whether or not earlier ones
// are answered: the time from when a call was to begin shows what waits behind
// a stop, the time from when it did begin hides it.
//
// Everything is shown at Go's default of GOGC=100, and the published run also at
// GOGC=800. The claims are judged at 800. Go
// begins a collection when the heap has grown by GOGC percent, and not below a
// few megabytes; an echo keeps next to nothing, so at 100 its process collects
// every few calls, and what is measured is mostly how often. The study's JVM,
// with a heap that is large from the start, spent a few percent of its CPU on
// collection. At 800 collections are rarer by that factor, so that the claims
// are about copies and allocation more than about where a collector begins.
//
// # How this differs from the published study
//
// The study timed whole processes, the start of the JVM and its compiler
// included; here the clock starts after the warm-up. It made all its calls in
// one process, ten times for each side; here many fresh processes make fewer
// each. -benchtime=100000x makes as many as the study.
//
// The JVM copies an answer once more on its way to a socket, into memory that
// the system call can use; Go does not, neither before nor after. In the study
// one thread read a request and another handled it; here the goroutine of the
// connection does both, except in worker.
//
// The test of the study sends its cells as part of a call whose message is one
// of another type, of which the server happens to understand a name of fourteen
// bytes, and echoes it. Here a text of fourteen bytes is sent as what it is. The
// call with large cells was added to the test by the patch, so the published
// runs without the patch are the new test against the old server; so are these.
//
// The peers do not carry cell blocks. Their message is a text and a list of byte
// strings, each of them one whole cell, which leaves them the least to encode.
//
// # What is not re-created
//
// The study's pictures of CPU, heap and collection in a monitor: the heap over
// time is drawn instead, and the share of the collector taken from the runtime.
// Two patches attached to the issue on the way to the one that was committed,
// buffer-copies and even-fewer-copies, were not to be found; oneframe and direct
// stand for what their names promise, and are ours. The wrapping of answers
// under SASL, which the patch left as a full copy.
//
// # What the peers do besides
//
// A ratio to a peer compares a bare protocol with what its users want of it:
//
//   - grpc: HTTP/2 with its flow control and frames of 16 kB, metadata, deadlines,
//     status codes, interceptors, and protobuf in both directions. Its windows and
//     buffers are enlarged, and the goroutines of its calls kept.
//   - grpcraw: the same without protobuf: the received buffers are the answer. No
//     server on grpc-go can do less.
//   - connect: HTTP/2 by net/http without TLS, metadata, deadlines, protobuf, and
//     three protocols on one port. Compression, which it has on by default, is off.
//   - http1: HTTP/1.1 by net/http, its headers and protobuf; one call at a time on a
//     connection.
//   - netrpc: gob, which sends the types with the first call and decodes by
//     reflection.
//   - drpc: protobuf over its own framing, with metadata and cancellation; one call
//     at a time on a connection.
//   - ttrpc: protobuf in one frame for each message, with metadata, deadlines and
//     streams; its limit for a message is 4 MB.
//   - thrift: Apache Thrift's binary protocol in frames, which HBase offers through
//     a gateway, with exceptions that the service declares; one call at a time on a
//     connection. While a call is handled its server asks every 5 ms whether the
//     client is still there.
//   - kitex: the same protocol over netpoll, which waits for connections with an
//     epoll of its own, with limits, middleware, and the choice of a server, of
//     which there is one here; one call at a time on a connection. Its writes are
//     in no table: it makes them by sendmsg, which Linux does not count. Its other
//     way, many calls on a connection, is not measured: when its server stops, its
//     client dereferences a nil pointer.
//
// Ours has call numbers, method names, priorities, exceptions, answers in any
// order, limits on frames, connections and bytes under way, and deadlines of the
// connection; no metadata, no deadline of a call on the wire, no streams, no
// compression, no TLS.
package ipc
