package results

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hotpath/internal/bench"
)

// resultPattern is what a result looks like, wherever it stands on a line: name,
// count, and a first value with its unit.
var resultPattern = regexp.MustCompile(`(Benchmark\S*)[ ]*\t\s*\d+\t\s*\S+ \S`)

// OneResult finds the result line of a benchmark in a fork's output, with the
// configuration and Unit lines ahead of it. Anything but exactly one line of
// that name, or a line that ParseText refuses, is an error; so is a result of
// that name that stands behind other text on its line. Prose that only begins
// like a result is passed over.
func OneResult(output string, name bench.Name) (config, units []string, result string, err error) {
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		found := resultPattern.FindStringSubmatchIndex(line)
		switch {
		case found != nil:
			if bench.Procless(line[found[2]:found[3]]) != name.String() {
				continue
			}
			if found[0] > 0 {
				return nil, nil, "", fmt.Errorf("the result of %s stands behind other text: %.60q", name, line)
			}
			if result != "" {
				return nil, nil, "", fmt.Errorf("two result lines of %s", name)
			}
			result = line
		case strings.HasPrefix(line, "Unit ") && !slices.Contains(units, line):
			units = append(units, line)
		case isConfig(line) && !slices.Contains(config, line):
			config = append(config, line)
		}
	}
	if result == "" {
		return nil, nil, "", fmt.Errorf("no result line of %s", name)
	}
	file := strings.Join(slices.Concat(units, config, []string{result}), "\n") + "\n"
	if _, err := ParseText("output", strings.NewReader(file)); err != nil {
		return nil, nil, "", err
	}
	return config, units, result, nil
}

// isConfig recognises the configuration lines that go test prints.
func isConfig(line string) bool {
	key, _, ok := strings.Cut(line, ": ")
	return ok && slices.Contains([]string{"goos", "goarch", "pkg", "cpu"}, key)
}

// ParseResult reads a result line of a fork into its name, as printed, and its
// metrics. The units are not checked: OneResult has done that.
func ParseResult(line string) (name string, metrics []Metric, err error) {
	name, values, _ := strings.Cut(line, "\t")
	fields := strings.Fields(values)
	for i := 1; i+1 < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return name, nil, err
		}
		metrics = append(metrics, Metric{v, fields[i+1]})
	}
	return strings.TrimSpace(name), metrics, nil
}
