package explorer

import (
	"math"
	"strings"
)

// series is numbers that are not negative in four characters each: those of
// base64, which make a code of 24 bits. Code 0 is a number that is missing, 1 is
// zero, and n > 1 is e^(Low + (n-2)*Step). The steps divide the series' own range,
// so that a number is off by less than two parts in a million even where the largest
// is 10^20 times the smallest.
type series struct {
	Low   float64 `json:"low"`
	Step  float64 `json:"step"`
	Codes string  `json:"codes"`
}

const (
	characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	width      = 4 // of a number
	largest    = 1<<(6*width) - 1

	missing, zero, positive = 0, 1, 2 // codes
)

// encode makes the series of some numbers, of which NaN is one that is missing.
func encode(values []float64) series {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v > 0 {
			low, high = min(low, math.Log(v)), max(high, math.Log(v))
		}
	}
	var s series
	if low <= high {
		// Rounded outwards, to numbers that are short in print.
		s.Low = math.Floor(low*1e6) / 1e6
		s.Step = max(1, math.Ceil((high-s.Low)/(largest-positive)*1e12)) / 1e12
	}
	var codes strings.Builder
	for _, v := range values {
		code := missing
		switch {
		case v == 0:
			code = zero
		case v > 0:
			code = positive + int(math.Round((math.Log(v)-s.Low)/s.Step))
		}
		for shift := 6 * (width - 1); shift >= 0; shift -= 6 {
			codes.WriteByte(characters[code>>shift&63])
		}
	}
	s.Codes = codes.String()
	return s
}
