// Package clientpb has the protobuf messages that clients of HBase send, for the
// tests that let such clients talk to the server of package ipc.
//
// Generating needs protoc; its Go plugin is built at the version in go.mod.
package clientpb

//go:generate go build -o protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
//go:generate protoc --plugin=protoc-gen-go --go_out=. --go_opt=paths=source_relative client.proto
//go:generate rm protoc-gen-go
