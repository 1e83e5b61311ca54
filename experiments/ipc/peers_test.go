package ipc_test

// peers are other ways to carry the same echo, each served and called as its
// documentation shows, without TLS. What each does for a call that the study's
// protocol does not do is in the package comment.
var peers = []system{
	grpcSystem,
	grpcRawSystem,
	netRPCSystem,
	drpcSystem,
	connectSystem,
	ttrpcSystem,
	http1System,
}
