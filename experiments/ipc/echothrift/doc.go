// Package echothrift is the echo of the peer that speaks Apache Thrift, generated
// from echo.thrift.
package echothrift

// The compiler also writes files of constants, of which there are none.
//
//go:generate thrift -out .. --gen go:skip_remote echo.thrift
//go:generate rm GoUnusedProtection__.go echo-consts.go
