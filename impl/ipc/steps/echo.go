package steps

import (
	"errors"
	"fmt"

	"hotpath/impl/ipc"
	"hotpath/impl/ipc/internal/wire"
)

// EchoName is the name of the service that EchoService returns.
const EchoName = "TestProtobufRpcProto"

// EchoService is the service of the published study: ping answers nothing, echo
// the request's message and cells, error an exception.
func EchoService(nonBlocking bool) ipc.Service {
	return ipc.Service{
		"ping":  {Handle: ping, NonBlocking: nonBlocking},
		"echo":  {Handle: echo, NonBlocking: nonBlocking},
		"error": {Handle: fails, NonBlocking: nonBlocking},
	}
}

const (
	ioException    = "java.io.IOException"
	invalidMessage = "com.google.protobuf.InvalidProtocolBufferException"
)

func ping(*ipc.Call) error { return nil }

func fails(*ipc.Call) error {
	return &ipc.Exception{Class: ioException, StackTrace: ioException + ": error"}
}

// echo takes an EchoRequest, whose field 1 is a string, and answers with an
// EchoResponse, whose field 1 is the same.
func echo(c *ipc.Call) error {
	message, err := echoMessage(c.Param())
	if err != nil {
		return &ipc.Exception{Class: invalidMessage, StackTrace: invalidMessage + ": " + err.Error(), DoNotRetry: true}
	}
	size := 1 + wire.UvarintSize(uint64(len(message))) + len(message)
	if size == len(c.Param()) {
		c.SetMessage(c.Param()) // nothing but the field
	} else {
		b := wire.AppendUint(c.Scratch(size)[:0], 1<<3|wire.Bytes, uint64(len(message)))
		c.SetMessage(append(b, message...))
	}
	for _, kv := range c.Cells() {
		c.AddCell(kv)
	}
	return nil
}

// echoMessage returns field 1 of an EchoRequest.
func echoMessage(b []byte) (message []byte, err error) {
	found := false
	f := wire.Fields{Msg: b}
	for f.Next() {
		if f.Tag == 1<<3|wire.Bytes {
			message, found = f.Data, true
		}
	}
	if f.Err != nil {
		return nil, fmt.Errorf("echo request: %w", f.Err)
	}
	if !found {
		return nil, errors.New("echo request without a message")
	}
	return message, nil
}
