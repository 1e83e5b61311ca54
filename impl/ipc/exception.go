package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"hotpath/impl/ipc/internal/path"
	"hotpath/impl/ipc/internal/wire"
)

// The exceptions that HBase's clients know.
const (
	fatalConnection       = "org.apache.hadoop.hbase.ipc.FatalConnectionException"
	wrongVersion          = "org.apache.hadoop.hbase.ipc.WrongVersionException"
	badAuth               = "org.apache.hadoop.hbase.ipc.BadAuthException"
	emptyServiceName      = "org.apache.hadoop.hbase.ipc.EmptyServiceNameException"
	unknownService        = "org.apache.hadoop.hbase.ipc.UnknownServiceException"
	unsupportedCodec      = "org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException"
	unsupportedCompressor = "org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException"
	noCodec               = "org.apache.hadoop.hbase.ipc.CellScannerButNoCodecException"
	requestTooBig         = "org.apache.hadoop.hbase.exceptions.RequestTooBigException"
	callQueueTooBig       = "org.apache.hadoop.hbase.CallQueueTooBigException"
	runtimeException      = "java.lang.RuntimeException"
	unsupportedOperation  = "java.lang.UnsupportedOperationException"
	invalidMessage        = "com.google.protobuf.InvalidProtocolBufferException"
	ioException           = "java.io.IOException"
)

// Exception is the error that a server answers a call with.
type Exception struct {
	Class      string // Java class name: what clients decide by
	StackTrace string // first line: class, colon, message, as Java prints it
	Host       string // where the region went, with Port; else empty
	Port       int32
	DoNotRetry bool
}

// Error returns the first line of the stack trace, led by the class.
func (e *Exception) Error() string {
	line, _, _ := strings.Cut(e.StackTrace, "\n")
	switch {
	case strings.HasPrefix(line, e.Class):
		return line
	case line == "":
		return e.Class
	}
	return e.Class + ": " + line
}

// newException returns an exception that says message and that trying again
// does not help against.
func newException(class, message string) *Exception {
	return &Exception{Class: class, StackTrace: class + ": " + message, DoNotRetry: true}
}

// exceptionOf returns what a handler's error is answered with.
func exceptionOf(err error) *Exception {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Exception](err); ok {
		return e
	}
	return newException(ioException, err.Error())
}

// addException appends an answer that is an exception.
func addException(o *path.Output, callID int32, e *Exception) {
	if len(e.StackTrace) > maxStackTrace {
		cut := *e
		cut.StackTrace = fmt.Sprintf("%s... (%d bytes)", e.StackTrace[:maxStackTrace], len(e.StackTrace))
		e = &cut
	}
	h := wire.ResponseHeader{CallID: callID, Exception: (*wire.Exception)(e), CellBlock: -1}
	n := h.Size()
	total := wire.UvarintSize(uint64(n)) + n
	b := binary.BigEndian.AppendUint32(o.Scratch(wire.LengthSize + total)[:0], uint32(total))
	o.Add(h.AppendTo(binary.AppendUvarint(b, uint64(n))))
}

// maxStackTrace keeps a handler's error from becoming a frame that no client
// takes.
const maxStackTrace = 1 << 20
