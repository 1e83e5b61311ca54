package contest

import "hotpath/impl/ipc"

// Path is one contestant of the ipc experiment: a response path, and whether
// the echo's handler runs on its connection's goroutine or on a worker.
type Path struct {
	Name   string // value of /impl= in benchmark names
	Path   ipc.Path
	Inline bool
}

// Paths lists ours in the order of tables and charts: the published chain of
// copies, what takes one cost after another out of it, and the control, whose
// ratio to before must come out as 1.
var Paths = []Path{
	{"before", ipc.Before, true},
	{"oneframe", ipc.OneFrame, true},
	{"direct", ipc.Direct, true},
	{"after", ipc.After, true},
	{"presize", ipc.Presize, true},
	{"pooledblock", ipc.PooledBlock, true},
	{"views", ipc.Views, true},
	{"onecopy", ipc.OneCopy, true},
	{"pooled", ipc.Pooled, true},
	{"worker", ipc.Pooled, false},
	{"before_again", ipc.Before, true},
}

// Server returns a server that answers echoes over the path.
func (p Path) Server() *ipc.Server {
	return &ipc.Server{
		Services: map[string]ipc.Service{ipc.EchoName: ipc.EchoService(p.Inline)},
		Path:     p.Path,
	}
}
