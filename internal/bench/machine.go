package bench

// NotVisible is the value of a fact that the machine does not show.
const NotVisible = "not visible"

// Unseen marks a number that the machine does not show.
const Unseen = -1

// Fact is one named property of a machine or of a run.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Machine is what a result depends on beside the code. It names no host, user
// or path.
type Machine struct {
	CPU   string `json:"cpu"`   // model, as the processor calls itself
	CPUs  int    `json:"cpus"`  // that a process may keep busy at once
	Facts []Fact `json:"facts"` // in a fixed order of names
}

// Usage is what a fork's process tree used from its start to its end, in
// seconds.
type Usage struct {
	Wall   float64 `json:"wall_s"`
	User   float64 `json:"user_s"`
	System float64 `json:"sys_s"`
}

// Noise is what the machine did beside the forks over a window of laps. What
// the machine does not show is Unseen.
type Noise struct {
	Wall    float64 `json:"wall_s"`      // seconds observed
	Foreign float64 `json:"foreign_cpu"` // CPU used by others, as a share of all CPUs
	Steal   float64 `json:"steal"`       // CPU taken by the hypervisor, as a share of all CPUs
	Parked  float64 `json:"parked"`      // the most CPU that a parked fork used, as a share of one CPU
}

// Probe is what a runner's own threads found between two laps.
type Probe struct {
	HandOff float64 // nanoseconds that a cache line takes from one CPU to another and back into use; Unseen where not visible
	Got     float64 // CPUs that spinning threads got, one for each CPU; Unseen where not visible
}
