package results

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// hlogHeader opens an HdrHistogram log, as Java's and Go's readers expect it.
const hlogHeader = "#[Histogram log format version 1.3]\n" +
	"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"

// intervalPattern is an interval without its tag: start, length and maximum in
// decimal seconds, and the compressed histogram.
var intervalPattern = regexp.MustCompile(`^[0-9.]+,[0-9.]+,[0-9.]+,[A-Za-z0-9+/=]+$`)

// tagGated tags what was not kept, in a fork's log and at the end of a tag in a
// run's.
const tagGated = "gated"

// Intervals returns the intervals of a fork's HdrHistogram log: the one without
// a tag, of the kept turns, and the one tagged gated, of the others. Each may be
// empty, for there need not be turns of both kinds; no log has neither.
func Intervals(log []byte) (kept, gated string, err error) {
	for line := range strings.Lines(string(log)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		into := &kept
		if rest, ok := strings.CutPrefix(line, "Tag="+tagGated+","); ok {
			line, into = rest, &gated
		}
		if !intervalPattern.MatchString(line) {
			return "", "", fmt.Errorf("not an interval of an HdrHistogram log: %.60q", line)
		}
		if *into != "" {
			return "", "", fmt.Errorf("a second interval in the HdrHistogram log: %.60q", line)
		}
		*into = line
	}
	if kept == "" && gated == "" {
		return "", "", fmt.Errorf("no interval in the HdrHistogram log")
	}
	return kept, gated, nil
}

// decodeInterval is the histogram of an interval.
func decodeInterval(interval string) (*hdrhistogram.Histogram, error) {
	if !intervalPattern.MatchString(interval) {
		return nil, fmt.Errorf("not an interval of an HdrHistogram log: %.60q", interval)
	}
	return hdrhistogram.Decode([]byte(interval[strings.LastIndexByte(interval, ',')+1:]))
}

// hlogTag names the fork that an interval belongs to.
func hlogTag(f Fork, gated bool) string {
	tag := f.Cell.Name.String() + "/reading=" + string(f.Cell.Reading) + "/fork=" + strconv.Itoa(f.ID)
	if gated {
		tag += "/" + tagGated
	}
	return tag
}

// appendHlog adds a fork's intervals to a run's log.
func appendHlog(log []byte, r ForkRecord) []byte {
	for _, i := range []struct {
		interval string
		gated    bool
	}{{r.Hlog, false}, {r.GatedHlog, true}} {
		if i.interval == "" {
			continue
		}
		if len(log) == 0 {
			log = append(log, hlogHeader...)
		}
		log = fmt.Appendf(log, "Tag=%s,%s\n", hlogTag(r.Fork, i.gated), i.interval)
	}
	return log
}

// intervalLine is an interval with its line in a run's log.
type intervalLine struct {
	line     int
	interval string
}

// splitHlog takes a run's log apart into intervals by tag.
func splitHlog(file string, data []byte) (map[string]intervalLine, error) {
	intervals := map[string]intervalLine{}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue
		}
		tagged, ok := strings.CutPrefix(line, "Tag=")
		parts := strings.Split(tagged, ",")
		if !ok || len(parts) < 5 {
			return nil, fmt.Errorf("%s:%d: not a tagged interval: %s", file, n, damaged)
		}
		at := len(parts) - 4 // a name may hold commas, an interval has three
		tag := strings.Join(parts[:at], ",")
		if _, twice := intervals[tag]; twice {
			return nil, fmt.Errorf("%s:%d: a second interval of %s", file, n, tag)
		}
		intervals[tag] = intervalLine{n, strings.Join(parts[at:], ",")}
	}
	return intervals, nil
}
