// Package echothrift is the echo of the peer that speaks Apache Thrift, and
// echokitex that of the one which speaks it in Go alone, both generated from
// echo.thrift.
package echothrift

// The compiler also writes files of constants, of which there are none.
//
//go:generate thrift -out .. --gen go:skip_remote,package=echothrift echo.thrift
//go:generate rm GoUnusedProtection__.go echo-consts.go
//go:generate kitex -module hotpath -gen-path . echo.thrift
