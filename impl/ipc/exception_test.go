package ipc

import "testing"

func TestExceptionError(t *testing.T) {
	for _, tt := range []struct {
		e    Exception
		want string
	}{
		{Exception{Class: "a.B", StackTrace: "a.B: no\n\tat c"}, "a.B: no"},
		{Exception{Class: "a.B", StackTrace: "no"}, "a.B: no"},
		{Exception{Class: "a.B"}, "a.B"},
	} {
		if got := tt.e.Error(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.e, got, tt.want)
		}
	}
}
