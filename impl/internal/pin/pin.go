//go:build gc && !race && !portable && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package pin

import _ "unsafe" // for linkname

// Exclusive says that a pinned goroutine is alone on its id.
const Exclusive = true

// Pin keeps the calling goroutine on its P until Unpin and returns the P's id,
// which is below GOMAXPROCS. Until then nothing else runs on that P, the number
// of Ps does not change, and the caller must not block, allocate or panic.
//
//go:linkname Pin runtime.procPin
func Pin() int

// Unpin ends what Pin began.
//
//go:linkname Unpin runtime.procUnpin
func Unpin()
