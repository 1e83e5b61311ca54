// Package ipc asks what copies cost.
//
// # Method
//
// Calls are made.
//
// # How this differs from the published study
//
// In the language.
//
// # What the peers do besides
//
// Everything.
//
// # A heading of its own
//
// With its text.
package ipc
