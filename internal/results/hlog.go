package results

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// hlogHeader opens an HdrHistogram log, as Java's and Go's readers expect it.
const hlogHeader = "#[Histogram log format version 1.3]\n" +
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

// intervalPattern is an interval without its tag: start, length and maximum in
// decimal seconds, and the compressed histogram.
var intervalPattern = regexp.MustCompile(`^[0-9.]+,[0-9.]+,[0-9.]+,[A-Za-z0-9+/=]+$`)

// Interval returns the one interval of an HdrHistogram log, without a tag.
func Interval(log []byte) (string, error) {
	interval := ""
	for line := range strings.Lines(string(log)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		if !intervalPattern.MatchString(line) {
			return "", fmt.Errorf("not an interval of an HdrHistogram log: %.60q", line)
		}
		if interval != "" {
			return "", fmt.Errorf("more than one interval in the HdrHistogram log")
		}
		interval = line
	}
	if interval == "" {
		return "", fmt.Errorf("no interval in the HdrHistogram log")
	}
	return interval, nil
}

// parseHlog reads a run's log into histograms by tag.
func parseHlog(file string, data []byte) (map[string]*hdrhistogram.Histogram, error) {
	hists := map[string]*hdrhistogram.Histogram{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		refuse := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, n, fmt.Sprintf(format, args...))
		}
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		tagged, ok := strings.CutPrefix(line, "Tag=")
		tag, interval, found := strings.Cut(tagged, ",")
		if !ok || !found || !intervalPattern.MatchString(interval) {
			return nil, refuse("not a tagged interval: the file is damaged; restore it from git, or measure again")
		}
		if hists[tag] != nil {
			return nil, refuse("a second interval of %s", tag)
		}
		h, err := hdrhistogram.Decode([]byte(interval[strings.LastIndexByte(interval, ',')+1:]))
		if err != nil {
			return nil, refuse("histogram of %s: %v: the file is damaged; restore it from git, or measure again", tag, err)
		}
		hists[tag] = h
	}
	return hists, nil
}
