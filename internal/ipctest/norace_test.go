//go:build !race

package ipctest

const race = false
