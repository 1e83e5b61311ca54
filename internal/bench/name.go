package bench

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Param is one /key=value of a benchmark's name.
type Param struct{ Key, Value string }

// maxParams is how many parameters a name may have.
const maxParams = 12

// Params are the parameters of a name in their order. They can be compared, so
// that names and blocks can be keys of maps.
type Params struct {
	list [maxParams]Param
	n    int
}

// All ranges over the parameters.
func (p Params) All() iter.Seq[Param] {
	return func(yield func(Param) bool) {
		for _, q := range p.list[:p.n] {
			if !yield(q) {
				return
			}
		}
	}
}

// Get returns the value of a key, or "".
func (p Params) Get(key string) string {
	for q := range p.All() {
		if q.Key == key {
			return q.Value
		}
	}
	return ""
}

// without is the parameters but for one key.
func (p Params) without(key string) Params {
	var rest Params
	for q := range p.All() {
		if q.Key != key {
			rest.list[rest.n] = q
			rest.n++
		}
	}
	return rest
}

func (p Params) appendTo(b *strings.Builder) {
	for q := range p.All() {
		b.WriteByte('/')
		b.WriteString(q.Key)
		b.WriteByte('=')
		b.WriteString(q.Value)
	}
}

// Name is the name of a benchmark, without the -GOMAXPROCS that Go prints behind
// it.
type Name struct {
	Benchmark string // the function, such as BenchmarkAdd
	Params    Params
}

var (
	// Names go into paths, Markdown and SVG.
	namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.=/,:+@-]{0,199}$`)
	wordPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)
)

// IsWord reports whether s is safe as the name of an experiment, a run or a
// contestant: up to 64 letters, digits, - and _.
func IsWord(s string) bool { return wordPattern.MatchString(s) }

// CheckName refuses text that cannot be a benchmark's name in a file.
func CheckName(s string) error {
	if !namePattern.MatchString(s) {
		return fmt.Errorf("benchmark name %.80q has characters outside A-Z a-z 0-9 _ . = / , : + -", s)
	}
	return nil
}

// NewName puts a name together; it panics where there are too many parameters.
func NewName(benchmark string, params ...Param) Name {
	n := Name{Benchmark: benchmark}
	n.Params.n = copy(n.Params.list[:], params)
	if n.Params.n < len(params) {
		panic(fmt.Sprintf("bench: %s has %d parameters, at most %d fit", benchmark, len(params), maxParams))
	}
	return n
}

// ParseName takes a name apart. Every part behind the first must be key=value.
func ParseName(s string) (Name, error) {
	if err := CheckName(s); err != nil {
		return Name{}, err
	}
	parts := strings.Split(s, "/")
	n := Name{Benchmark: parts[0]}
	for _, part := range parts[1:] {
		key, value, ok := strings.Cut(part, "=")
		switch {
		case !ok || key == "":
			return Name{}, fmt.Errorf("benchmark name %q: %q is not key=value", s, part)
		case n.Params.n == maxParams:
			return Name{}, fmt.Errorf("benchmark name %q has more than %d parameters", s, maxParams)
		}
		n.Params.list[n.Params.n] = Param{key, value}
		n.Params.n++
	}
	return n, nil
}

// String is the name as Go prints it.
func (n Name) String() string {
	var b strings.Builder
	b.WriteString(n.Benchmark)
	n.Params.appendTo(&b)
	return b.String()
}

// Below is the name without its function: that of the sub-benchmark.
func (n Name) Below() string { return strings.TrimPrefix(n.String(), n.Benchmark+"/") }

// Impl is the contestant.
func (n Name) Impl() string { return n.Params.Get("impl") }

// Lane is where the contestants run that stand beside Go's; empty where there are
// none.
func (n Name) Lane() string { return n.Params.Get("lane") }

// Mode is what is measured.
func (n Name) Mode() Mode { return Mode(n.Params.Get("mode")) }

func (n Name) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

func (n *Name) UnmarshalText(text []byte) (err error) {
	*n, err = ParseName(string(text))
	return err
}

// Procless is a printed name without the suffix that Go prints when GOMAXPROCS
// is not 1.
func Procless(printed string) string {
	if i := strings.LastIndexByte(printed, '-'); i > 0 {
		if _, err := strconv.Atoi(printed[i+1:]); err == nil {
			return printed[:i]
		}
	}
	return printed
}

// Block is what the cells share that differ in the contestant alone.
type Block struct {
	Benchmark string
	Params    Params // without the contestant
	Reading   Reading
}

// ParseBlock reads what Block.String writes.
func ParseBlock(s string) (Block, error) {
	name, reading, _ := strings.Cut(s, "@")
	n, err := ParseName(name)
	switch {
	case err != nil:
		return Block{}, err
	case n.Impl() != "":
		return Block{}, fmt.Errorf("block %q names a contestant", s)
	case !slices.Contains(Readings, Reading(reading)):
		return Block{}, fmt.Errorf("block %q: want @ and one of one, numcpu, perthread at its end", s)
	}
	return Block{n.Benchmark, n.Params, Reading(reading)}, nil
}

// String is the benchmark's name without its contestant, and @ with the reading.
func (b Block) String() string {
	return Name{b.Benchmark, b.Params}.String() + "@" + string(b.Reading)
}

// Mode is what the block's cells measure.
func (b Block) Mode() Mode { return Mode(b.Params.Get("mode")) }

// Lane is where some contestants of the block run beside Go's; empty of most blocks.
func (b Block) Lane() string { return b.Params.Get("lane") }

// Beside is the block of the same load that is Go's alone.
func (b Block) Beside() Block {
	b.Params = b.Params.without("lane")
	return b
}

func (b Block) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

func (b *Block) UnmarshalText(text []byte) (err error) {
	*b, err = ParseBlock(string(text))
	return err
}
