package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestCompareArguments(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		want string // in the output, or in the error
	}{
		"help":         {[]string{"-h"}, 0, "usage: benchrun compare"},
		"nothing":      {nil, 2, "takes A and B"},
		"one side":     {[]string{"HEAD"}, 2, "takes A and B"},
		"an empty one": {[]string{"HEAD", ""}, 2, "takes A and B"},
		"three sides":  {[]string{"HEAD", ".", "HEAD"}, 2, "takes A and B"},
		"flag":         {[]string{"-wrong", "HEAD", "."}, 2, "-wrong"},
		"threshold":    {[]string{"HEAD", ".", "-threshold", "0"}, 2, "threshold 0 is no percentage above 0"},
		"budget":       {[]string{"HEAD", "-budget", "0s", "."}, 2, "-budget 0s: want a positive duration"},
		"revision":     {[]string{"HEAD", "nosuch"}, 2, "nosuch is no revision here"},
		"files":        {[]string{"main.go", "compare.go"}, 2, "main.go is no revision here; `benchreport compare` compares runs and files"},
		"folder":       {[]string{"-C", "testdata", "HEAD", "."}, 2, "testdata"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code, err := compareRevisions(t.Context(), &out, &out, c.args)
			if err == nil {
				err = errors.New("")
			}
			if code != c.code || !strings.Contains(out.String()+err.Error(), c.want) {
				t.Errorf("code %d, want %d and %q in\n%s%v", code, c.code, c.want, &out, err)
			}
		})
	}
}
