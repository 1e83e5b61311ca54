//go:build gc && !portable

package histogram

import (
	"bytes"
	"os"
	"testing"
)

// The kernel asks the CPU the same. What the instruction does no result shows.
func TestHasPrefetchW(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	if knows := bytes.Contains(info, []byte(" 3dnowprefetch")); knows != fetches {
		t.Errorf("fetches is %v, the kernel says %v", fetches, knows)
	}
}
