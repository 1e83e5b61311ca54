package host

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"hotpath/internal/bench"
)

// Fingerprint describes the machine as it is now.
func Fingerprint() bench.Machine { return fingerprint("/", runtime.NumCPU()) }

func fingerprint(t tree, cpus int) bench.Machine {
	limit, _ := t.cpuLimit()
	return bench.Machine{
		CPU:  model(t),
		CPUs: usable(cpus, limit),
		Facts: []bench.Fact{
			{Name: "scheduled on", Value: fmt.Sprintf("%d of %d CPUs", cpus, t.online(cpus))},
			{Name: "cpu limit", Value: t.cpuLimitText()},
			{Name: "topology", Value: t.topology()},
			{Name: "caches", Value: t.caches()},
			{Name: "governor", Value: t.governor()},
			{Name: "turbo", Value: t.turbo()},
			{Name: "hypervisor", Value: hypervisor()},
			{Name: "kernel", Value: t.kernel()},
			{Name: "transparent huge pages", Value: t.hugePages()},
			{Name: "clocksource", Value: t.text("sys/devices/system/clocksource/clocksource0/current_clocksource")},
			{Name: "memory", Value: t.memory()},
			{Name: "swap", Value: t.swap()},
			{Name: "isolated cpus", Value: t.isolated()},
			{Name: "load average at start", Value: t.load()},
		},
	}
}

func model(t tree) string {
	if cpuid.CPU.BrandName != "" {
		return strings.Join(strings.Fields(cpuid.CPU.BrandName), " ")
	}
	return t.cpuinfo()
}

// cpuinfo is the model from the kernel's list of processors. Most arm64
// processors have no name there, only the numbers of their maker and design.
func (t tree) cpuinfo() string {
	text, _ := t.read("proc/cpuinfo")
	field := func(name string) string {
		for line := range strings.Lines(text) {
			key, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(key) == name {
				return strings.TrimSpace(value)
			}
		}
		return ""
	}
	if name := field("model name"); name != "" {
		return name
	}
	maker, part := field("CPU implementer"), field("CPU part")
	if maker == "" || part == "" {
		return runtime.GOARCH
	}
	return fmt.Sprintf("%s implementer %s part %s", runtime.GOARCH, maker, part)
}

var (
	marks = regexp.MustCompile(`(?i)\((r|tm|c)\)|@.*`)
	// Words that most processors carry, or that repeat the number of CPUs.
	filler = regexp.MustCompile(`^(intel|amd|cpu|processor|genuine|virtual|gen|\d+(st|nd|rd|th)|\w+-core|with|implementer|part)$`)
	odd    = regexp.MustCompile(`[^a-z0-9]+`)
)

// Slug is a short name for machines of one kind, made of [a-z0-9-] and starting
// with a letter or digit: the telling words of the CPU's model and the number of
// CPUs, as [bench.Machine] has both.
func Slug(cpu string, cpus int) string {
	var words []string
	for _, w := range strings.Fields(strings.ToLower(marks.ReplaceAllString(cpu, " "))) {
		w = strings.TrimFunc(w, func(r rune) bool { return odd.MatchString(string(r)) })
		if w != "" && !filler.MatchString(w) && len(words) < 3 {
			words = append(words, odd.ReplaceAllString(w, "-"))
		}
	}
	if len(words) == 0 {
		words = []string{"cpu"}
	}
	name := strings.Join(words, "-")
	name = strings.TrimRight(name[:min(len(name), 32)], "-")
	return name + "-" + strconv.Itoa(cpus) + "cpu"
}

// text returns a file's text as a fact.
func (t tree) text(name string) string {
	if s, ok := t.read(name); ok && s != "" {
		return s
	}
	return bench.NotVisible
}

// distinct returns the different texts of the files that match, sorted.
func (t tree) distinct(pattern string) []string {
	files, err := filepath.Glob(t.path(pattern))
	if err != nil {
		panic(err) // only for a malformed pattern
	}
	var texts []string
	for _, f := range files {
		rel, err := filepath.Rel(string(t), f)
		if err != nil {
			continue
		}
		if s, ok := t.read(rel); ok && s != "" {
			texts = append(texts, s)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func (t tree) cpuLimitText() string {
	switch limit, visible := t.cpuLimit(); {
	case !visible:
		return bench.NotVisible
	case limit == 0:
		return "none"
	default:
		return strconv.FormatFloat(limit, 'f', -1, 64) + " CPUs"
	}
}

func (t tree) topology() string {
	const dir = "sys/devices/system/cpu/cpu[0-9]*/topology/"
	sockets := len(t.distinct(dir + "physical_package_id"))
	cores := len(t.distinct(dir + "thread_siblings_list"))
	files, _ := filepath.Glob(t.path(dir + "core_id"))
	threads := len(files)
	if cores == 0 {
		sockets, cores, threads = 0, cpuid.CPU.PhysicalCores, cpuid.CPU.LogicalCores
	}
	if cores == 0 {
		return bench.NotVisible
	}
	text := fmt.Sprintf("cores %d, threads %d", cores, threads)
	if sockets > 0 {
		text = fmt.Sprintf("sockets %d, ", sockets) + text
	}
	return text
}

// caches lists the caches of the first CPU and, where several CPUs share one,
// how many do.
func (t tree) caches() string {
	var list []string
	for i := 0; ; i++ {
		dir := fmt.Sprintf("sys/devices/system/cpu/cpu0/cache/index%d/", i)
		level, ok := t.read(dir + "level")
		if !ok {
			break
		}
		size, _ := t.read(dir + "size")
		kind, _ := t.read(dir + "type")
		shared, _ := t.read(dir + "shared_cpu_list")
		text := "L" + level
		switch kind {
		case "Data":
			text += "d"
		case "Instruction":
			text += "i"
		}
		text += " " + size
		if n := listed(shared); n > 1 {
			text += fmt.Sprintf(" for %d CPUs", n)
		}
		list = append(list, text)
	}
	if line, ok := t.read("sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size"); ok {
		return strings.Join(append(list, "line "+line), ", ")
	}
	c := cpuid.CPU
	for _, l := range []struct {
		name string
		size int
	}{{"L1d", c.Cache.L1D}, {"L1i", c.Cache.L1I}, {"L2", c.Cache.L2}, {"L3", c.Cache.L3}, {"line", c.CacheLine}} {
		switch {
		case l.size <= 0:
		case l.name == "line":
			list = append(list, fmt.Sprintf("line %d", l.size))
		default:
			list = append(list, fmt.Sprintf("%s %dK", l.name, l.size>>10))
		}
	}
	if len(list) == 0 {
		return bench.NotVisible
	}
	return strings.Join(list, ", ")
}

// listed counts the CPUs of a kernel list such as "0-3,8".
func listed(list string) int {
	n := 0
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, errA := strconv.Atoi(first)
		b, errB := strconv.Atoi(last)
		switch {
		case errA != nil:
		case isRange && errB == nil:
			n += b - a + 1
		default:
			n++
		}
	}
	return n
}

func (t tree) governor() string {
	if g := t.distinct("sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"); len(g) > 0 {
		return strings.Join(g, ", ")
	}
	return bench.NotVisible
}

// The switches for clock rates above the nominal one: the first says that they
// are off, the second that they are on.
const (
	noTurbo = "sys/devices/system/cpu/intel_pstate/no_turbo"
	boost   = "sys/devices/system/cpu/cpufreq/boost"
)

func (t tree) turbo() string {
	off, ok := t.read(noTurbo)
	if !ok {
		var on string
		if on, ok = t.read(boost); ok && on == "0" {
			off = "1"
		}
	}
	switch {
	case !ok:
		return bench.NotVisible
	case off == "1":
		return "off"
	default:
		return "on"
	}
}

func hypervisor() string {
	switch {
	case cpuid.CPU.HypervisorVendorID != cpuid.VendorUnknown:
		return cpuid.CPU.HypervisorVendorID.String()
	case cpuid.CPU.HypervisorVendorString != "":
		return cpuid.CPU.HypervisorVendorString
	case cpuid.CPU.VM():
		return "unnamed"
	case runtime.GOARCH == "amd64" || runtime.GOARCH == "386":
		return "none"
	default:
		return bench.NotVisible
	}
}

func (t tree) kernel() string {
	if release, ok := t.read("proc/sys/kernel/osrelease"); ok {
		return runtime.GOOS + " " + release
	}
	return runtime.GOOS
}

// hugePages returns the mode that stands in brackets among the possible ones.
func (t tree) hugePages() string {
	modes, _ := t.read("sys/kernel/mm/transparent_hugepage/enabled")
	_, rest, _ := strings.Cut(modes, "[")
	if mode, _, ok := strings.Cut(rest, "]"); ok {
		return mode
	}
	return bench.NotVisible
}

func gib(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

func (t tree) memory() string {
	if fs, err := t.proc(); err == nil {
		if m, err := fs.Meminfo(); err == nil && m.MemTotalBytes != nil {
			return gib(*m.MemTotalBytes)
		}
	}
	return bench.NotVisible
}

// swapBytes returns the size of the swap space and how much of it is in use.
func (t tree) swapBytes() (total, used uint64, visible bool) {
	fs, err := t.proc()
	if err != nil {
		return 0, 0, false
	}
	m, err := fs.Meminfo()
	if err != nil || m.SwapTotalBytes == nil || m.SwapFreeBytes == nil {
		return 0, 0, false
	}
	return *m.SwapTotalBytes, *m.SwapTotalBytes - *m.SwapFreeBytes, true
}

func (t tree) swap() string {
	switch total, used, visible := t.swapBytes(); {
	case !visible:
		return bench.NotVisible
	case total == 0:
		return "none"
	default:
		return gib(total) + ", used " + gib(used)
	}
}

func (t tree) isolated() string {
	switch list, ok := t.read("sys/devices/system/cpu/isolated"); {
	case !ok:
		return bench.NotVisible
	case list == "":
		return "none"
	default:
		return list
	}
}

func (t tree) load() string {
	if fs, err := t.proc(); err == nil {
		if l, err := fs.LoadAvg(); err == nil {
			return fmt.Sprintf("%.2f %.2f %.2f", l.Load1, l.Load5, l.Load15)
		}
	}
	return bench.NotVisible
}
