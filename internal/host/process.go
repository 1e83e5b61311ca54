package host

// QueueWait is how long the threads of this process have waited for a CPU while
// they could have run, in seconds since each began. Threads that have ended are
// missing, so a difference of two calls needs the threads between them to live
// on: a goroutine that ends while locked to its thread ends the thread. A call
// reads a file for each thread. Where the kernel does not tell it is -1.
func QueueWait() float64 { return queueWait("/") }

func queueWait(t tree) float64 {
	fs, err := t.proc()
	if err != nil {
		return unseen
	}
	self, err := fs.Self()
	if err != nil {
		return unseen
	}
	threads, err := fs.AllThreads(self.PID)
	if err != nil {
		return unseen
	}
	wait, seen := 0.0, false
	for _, thread := range threads {
		s, err := thread.Schedstat()
		if err != nil {
			continue // it ended after it was listed
		}
		wait += float64(s.WaitingNanoseconds) / 1e9
		seen = true
	}
	if !seen {
		return unseen
	}
	return wait
}
