package ipc

import (
	"encoding/binary"
	"net"
	"syscall"
)

// The states of a TCP socket that matter here, as Linux numbers them.
const (
	tcpClose     = 7
	tcpCloseWait = 8
)

// peerState reports whether the client has closed its sending side, also behind
// data that nobody has read yet, and whether the connection is gone.
func peerState(nc net.Conn) (closed, gone bool) {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false, true
	}
	var state byte
	err = raw.Control(func(fd uintptr) {
		// The kernel copies as much of its tcp_info as fits; the state comes first.
		v, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
		if err == nil {
			state = binary.NativeEndian.AppendUint32(nil, uint32(v))[0]
		}
	})
	return state == tcpCloseWait, err != nil || state == tcpClose
}
