// Package steps re-creates what HBASE-5945 measured, for the study of package ipc:
// the response path of HBase's server before and after that patch, what can be
// taken out of it one step at a time, and the client and the service that went
// with it. Servers and clients for anything else need package ipc alone.
//
// Before is the path of HBase's protobuf server as it was when HBASE-5945 was
// filed, and After is what the patch made of it. OneFrame and Direct are ways
// in between: what the earlier attempts in that issue were about, reconstructed
// from their names alone. Each path from Presize on takes away one more
// allocation or copy, up to ipc.Pooled, which has none.
//
//	path         request            cells   answer
//	Before       new array          copies  growing block, copied into a growing frame
//	OneFrame     new array          copies  growing block, copied into an exact frame
//	Direct       new array          copies  cells written into a growing frame
//	After        new array          copies  growing block, gathered
//	Presize      new array          copies  exact new block, gathered
//	PooledBlock  new array          copies  exact pooled block, gathered
//	Views        new array          views   exact pooled block, gathered
//	OneCopy      pooled, read ahead views   exact pooled block, gathered
//	ipc.Pooled   pooled, read ahead views   cells gathered, or the request itself
//
// With new arrays, reads and writes come in pieces of 64 kB and one answer per
// write, as in HBase; with pooled ones, answers to requests that arrived
// together leave together. Each path counts the bytes that it copies and
// allocates (see ipc.Stats), so that what a copy costs can be told from what an
// allocation costs.
package steps

import (
	"io"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/internal/path"
)

// The paths, in the order of what they save.
var (
	Before      ipc.Path = before{}
	OneFrame    ipc.Path = oneFrame{}
	Direct      ipc.Path = direct{}
	After       ipc.Path = after{}
	Presize     ipc.Path = presize{}
	PooledBlock ipc.Path = pooledBlock{}
	Views       ipc.Path = views{}
	OneCopy     ipc.Path = oneCopy{}
)

// Paths returns all paths, ipc.Pooled as the last.
func Paths() []ipc.Path {
	return []ipc.Path{Before, OneFrame, Direct, After, Presize, PooledBlock, Views, OneCopy, ipc.Pooled}
}

// newArrays is how HBase reads requests.
type newArrays struct{}

func (newArrays) Source(from io.Reader, limit int, b *path.Budget) path.Source {
	return path.NewReadExact(from, limit, b)
}

func (newArrays) Batches() bool { return false }

// copies gives every cell an array of its own, as HBase's decoder does.
type copies struct{ newArrays }

func (copies) CopiesCells() bool { return true }
