package wire

import "encoding/binary"

// What a connection begins with.
const (
	Magic      = "HBas"
	Version    = 0
	AuthSimple = 80 // says who the user is, proves nothing

	KeyValueCodec = "org.apache.hadoop.hbase.codec.KeyValueCodec"
)

// PreambleSize is how long magic, version and authentication are.
const PreambleSize = len(Magic) + 2

// AppendHello appends what a client sends before its first request: the preamble,
// and the header behind its length.
func (h *ConnectionHeader) AppendHello(b []byte) []byte {
	b = append(append(b, Magic...), Version, AuthSimple)
	body := h.AppendTo(nil)
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}
