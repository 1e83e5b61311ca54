package results

import (
	"strings"
	"testing"
)

func TestHeapRows(t *testing.T) {
	const header = "ms,heap-B,gc-cycles\n"
	for _, tt := range []struct {
		data, want string // want in the error; empty for none
	}{
		{header + "0.1,5,0\n5.2,7,1\n", ""},
		{header + "0.1,5,0\n0.1,5,0\n", ""},
		{"", "heap over time:1: header"},
		{"ms,heap-B\n0,5\n", "heap over time:1: header"},
		{header, "no sample"},
		{header + "0.1,5\n", "heap over time:2: 2 fields"},
		{header + "0.1,5,0,9\n", "heap over time:2: 4 fields"},
		{header + "NaN,5,0\n", `heap over time:2: "NaN" ms is no moment`},
		{header + "+Inf,5,0\n", "is no moment"},
		{header + "-1,5,0\n", "is no moment"},
		{header + "0,-5,0\n", "is no size"},
		{header + "0,5e3,0\n", "is no size"},
		{header + "0,5,-1\n", "is no count"},
		{header + "0,5,\n", "is no count"},
		{header + "7,5,0\n6,5,0\n", "heap over time:3: 6 ms comes after 7 ms"},
		{header + "7,5,4\n8,5,3\n", "heap over time:3: 3 gc-cycles come after 4"},
	} {
		rows, err := HeapRows([]byte(tt.data))
		switch {
		case tt.want == "" && (err != nil || len(rows) != 2):
			t.Errorf("%q: %q, %v", tt.data, rows, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: error %v, want %q", tt.data, err, tt.want)
		}
	}
}

// A run's file of the heap over time with the right checksum can still be
// wrong, when a program wrote it wrongly.
func TestSealedHeap(t *testing.T) {
	const header = "fork,ms,heap-B,gc-cycles\n"
	for _, tt := range []struct {
		data, want string
	}{
		{header + "1,0,5,0\n1,5,5,0\n2,0,5,0\n", ""},
		{"fork,ms,heap-B,cycles\n", "f:1: header"},
		{header + "1,0,5\n", "f:2: wrong number of fields"},
		{header + "1,0,\"5,0\n", "f:"},
		{header + "x,0,5,0\n", `f:2: fork "x" is no number`},
		{header + "1,5,5,0\n1,4,5,0\n", "f:3: 4 ms comes after 5 ms"},
		{header + "1,5,5,0\n2,6,5,0\n1,6,5,0\n", "f:4: fork 1 again after fork 2"},
	} {
		_, err := parseHeap("f", []byte(tt.data))
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%q: %v", tt.data, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%q: error %v, want %q", tt.data, err, tt.want)
		}
	}
}
