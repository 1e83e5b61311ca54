// Package echopb is the echo of the peers that speak protobuf, generated from
// echo.proto for each of them.
package echopb

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative --go-drpc_out=. --go-drpc_opt=paths=source_relative --connect-go_out=. --connect-go_opt=paths=source_relative,simple --go-ttrpc_out=. --go-ttrpc_opt=paths=source_relative,prefix=TTRPC echo.proto
