package ipc

import (
	"encoding/binary"
	"errors"
	"fmt"
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
	unsupportedOperation  = "java.lang.UnsupportedOperationException"
	invalidMessage        = "com.google.protobuf.InvalidProtocolBufferException"
	ioException           = "java.io.IOException"
)

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

// noCall is the call id of an exception that ends the connection.
const noCall = -1

// addException appends an answer that is an exception.
func addException(o *output, callID int32, e *Exception) {
	if len(e.StackTrace) > maxStackTrace {
		cut := *e
		cut.StackTrace = fmt.Sprintf("%s... (%d bytes)", e.StackTrace[:maxStackTrace], len(e.StackTrace))
		e = &cut
	}
	h := responseHeader{callID: callID, exception: e, cellBlock: -1}
	n := h.size()
	total := uvarintSize(uint64(n)) + n
	b := binary.BigEndian.AppendUint32(o.scratch(lengthSize + total)[:0], uint32(total))
	o.add(h.appendTo(binary.AppendUvarint(b, uint64(n))))
}

// maxStackTrace keeps a handler's error from becoming a frame that no client
// takes.
const maxStackTrace = 1 << 20
