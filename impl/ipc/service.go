package ipc

import (
	"errors"
	"fmt"
)

// Service is a set of methods by name. A client chooses one service for its
// connection.
type Service map[string]Method

// Method is one method of a service.
type Method struct {
	Handle Handler
	// NonBlocking promises that Handle neither waits nor works for long: until
	// it returns, its connection reads no further request. Other handlers may
	// do both (see Server.Workers).
	NonBlocking bool
}

// Handler answers one call. The error it returns is sent instead of the answer:
// an *Exception as it is, any other as a java.io.IOException. A panic is
// answered with a java.lang.RuntimeException.
//
// Handlers of one connection that may block run at the same time and are
// answered in the order in which they return.
type Handler func(*Call) error

// EchoName is the name of the service that EchoService returns.
const EchoName = "TestProtobufRpcProto"

// EchoService is the service of the published study: ping answers nothing, echo
// the request's message and cells, error an exception.
func EchoService(nonBlocking bool) Service {
	return Service{
		"ping":  {ping, nonBlocking},
		"echo":  {echo, nonBlocking},
		"error": {fails, nonBlocking},
	}
}

func ping(*Call) error { return nil }

func fails(*Call) error { return &Exception{Class: ioException, StackTrace: ioException + ": error"} }

// echo takes an EchoRequest, whose field 1 is a string, and answers with an
// EchoResponse, whose field 1 is the same.
func echo(c *Call) error {
	message, err := echoMessage(c.Param())
	if err != nil {
		return newException(invalidMessage, err.Error())
	}
	size := 1 + uvarintSize(uint64(len(message))) + len(message)
	if size == len(c.Param()) {
		c.SetMessage(c.Param()) // nothing but the field
	} else {
		b := appendUint(c.Scratch(size)[:0], 1<<3|wireBytes, uint64(len(message)))
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
	f := fields{msg: b}
	for f.next() {
		if f.tag == 1<<3|wireBytes {
			message, found = f.data, true
		}
	}
	if f.err != nil {
		return nil, fmt.Errorf("echo request: %w", f.err)
	}
	if !found {
		return nil, errors.New("echo request without a message")
	}
	return message, nil
}
