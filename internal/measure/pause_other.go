//go:build !linux

package measure

import "time"

func pause(d time.Duration) { time.Sleep(d) }
