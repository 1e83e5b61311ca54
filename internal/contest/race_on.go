//go:build race

package contest

const raceDetector = true
