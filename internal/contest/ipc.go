package contest

import (
	"hotpath/impl/ipc"
	"hotpath/impl/ipc/steps"
	"hotpath/internal/bench"
)

// Path is one contestant of the ipc experiment: a response path, and whether
// the echo's handler runs on its connection's goroutine or on a worker.
type Path struct {
	Row
	Path   ipc.Path
	Inline bool
	In     Blocks
}

// Blocks is a set of blocks of the ipc experiment.
type Blocks uint

const (
	InStudy  Blocks = 1 << iota // the published run, called by the study's client
	InLadder                    // large cells, one call at a time: which copy costs what
	InLoad                      // small cells, many connections, and many calls under way
	InTimed                     // every call timed
	InOpen                      // calls begin at a fixed rate
)

// Paths lists ours in the order of tables and charts: the published chain of
// copies, what takes one cost after another out of it, and the control, whose
// ratio to before must come out as 1.
var Paths = []Path{
	{Row{Name: "before", Role: bench.Published, About: "HBase before HBASE-5945: cells into a growing buffer, and that into a second one."},
		steps.Before, true, InStudy | InLadder | InLoad | InTimed | InOpen},
	{Row{Name: "oneframe", Role: bench.Ours, About: "The cell block copied into one frame of the right size."},
		steps.OneFrame, true, InLadder},
	{Row{Name: "direct", Role: bench.Ours, About: "Cells serialised into the frame, without a block before it."},
		steps.Direct, true, InLadder},
	{Row{Name: "after", Role: bench.Published, About: "HBase after HBASE-5945: header, message and cells written from where they lie."},
		steps.After, true, InStudy | InLadder | InLoad | InTimed | InOpen},
	{Row{Name: "presize", Role: bench.Ours, About: "After, with a cell block that has its size at once."},
		steps.Presize, true, InLadder},
	{Row{Name: "pooledblock", Role: bench.Ours, About: "After, with a cell block that is used again."},
		steps.PooledBlock, true, InLadder},
	{Row{Name: "views", Role: bench.Ours, About: "Cells left where the request has them and written from there."},
		steps.Views, true, InLadder},
	{Row{Name: "onecopy", Role: bench.Ours, About: "Request frames used again, and one copy of the cells into a block."},
		steps.OneCopy, true, InLadder},
	{Row{Name: "pooled", Role: bench.Ours, About: "ipc.Server's own path: frames used again, cells as views, one write."},
		ipc.Pooled, true, InStudy | InLadder | InLoad | InTimed | InOpen},
	{Row{Name: "worker", Role: bench.Ours, About: "Pooled with a handler that may block, beside the goroutine that reads."},
		ipc.Pooled, false, InLadder | InLoad | InTimed},
	{Row{Name: "before_again", Role: bench.Control, Again: "before", About: "Before a second time."},
		steps.Before, true, InStudy | InLadder | InLoad | InTimed | InOpen},
}

// Server returns a server that answers echoes over the path.
func (p Path) Server() *ipc.Server {
	return &ipc.Server{
		Services: map[string]ipc.Service{steps.EchoName: steps.EchoService(p.Inline)},
		Path:     p.Path,
	}
}
