package extreme

import (
	"sync/atomic"
	"testing"
)

// Whatever others made of an extreme since it was seen, it becomes that of all.
func TestSeenBefore(t *testing.T) {
	for _, seen := range []int64{-9, -5, 0, 5, 9} {
		for _, now := range []int64{-9, -5, 0, 5, 9} {
			for _, v := range []int64{-10, -9, -7, -5, 0, 5, 7, 9, 10} {
				var word atomic.Int64
				if now <= seen { // others can only have lowered it
					word.Store(now)
					if Lower(&word, seen, v); word.Load() != min(now, v) {
						t.Errorf("%d lowered by %d who saw %d is %d", now, v, seen, word.Load())
					}
				}
				if now >= seen {
					word.Store(now)
					if Raise(&word, seen, v); word.Load() != max(now, v) {
						t.Errorf("%d raised by %d who saw %d is %d", now, v, seen, word.Load())
					}
				}
			}
		}
	}
}
