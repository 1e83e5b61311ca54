package host

// Resident is how many bytes of memory this process holds, 0 where the system
// does not tell.
func Resident() int64 {
	fs, err := tree("/").proc()
	if err != nil {
		return 0
	}
	self, err := fs.Self()
	if err != nil {
		return 0
	}
	stat, err := self.Stat()
	if err != nil {
		return 0
	}
	return int64(stat.ResidentMemory())
}

// FreeMemory is how many bytes programs can still take without swapping, 0 where
// the system does not tell.
func FreeMemory() int64 {
	fs, err := tree("/").proc()
	if err != nil {
		return 0
	}
	m, err := fs.Meminfo()
	if err != nil || m.MemAvailableBytes == nil {
		return 0
	}
	return int64(*m.MemAvailableBytes)
}
