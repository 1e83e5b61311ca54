package published_test

import (
	"testing"

	"hotpath/internal/contest"
)

// A writer finds out which buffer is active when it has entered, or the reader of
// that buffer does not wait for it.
func TestWriteSections(t *testing.T) {
	contest.TestOrder(t, "recorder.go", "Recorder.Record", "r.phaser.Enter", "r.active.Load", "r.phaser.Exit")
	contest.TestOrder(t, "hdrconcurrent.go", "HDRConcurrent.increment", "h.phaser.Enter", "h.active.Load", "counts[cell].Add", "h.phaser.Exit")
}
