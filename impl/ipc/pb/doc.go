// Package pb has the protobuf messages of HBase's RPC protocol. The server and
// the client of package ipc read and write the headers by hand; this package is
// for parameters and results, and for tests that hold the hand-written code
// against protobuf's own.
//
// Generating needs protoc; its Go plugin is built at the version in go.mod.
package pb

//go:generate go build -o protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
//go:generate protoc --plugin=protoc-gen-go --go_out=. --go_opt=paths=source_relative rpc.proto
//go:generate rm protoc-gen-go
