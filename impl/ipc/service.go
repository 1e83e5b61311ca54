package ipc

// Service is a set of methods by name. A client chooses one service for its
// connection.
type Service map[string]Method

// Method is one method of a service.
type Method struct {
	Handle Handler
	// NonBlocking promises that Handle neither waits nor works for long: until
	// it returns, its connection reads no further request, and does not see its
	// client go. Other handlers may do both (see Server.Workers).
	NonBlocking bool
}

// Handler answers one call. The error it returns is sent instead of the answer:
// an *Exception as it is, any other as a java.io.IOException. A panic, or
// the end of the goroutine by runtime.Goexit, is answered with a
// java.lang.RuntimeException.
//
// Handlers of one connection that may block run at the same time and are
// answered in the order in which they return.
type Handler func(*Call) error
