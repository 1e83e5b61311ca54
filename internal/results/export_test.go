package results

import (
	"encoding/json"
	"io"
	"os"
	"testing/fstest"
)

// Write is what the disk takes.
var Write = &write

// ManifestName is the file with the checksums of the others.
const ManifestName = manifestName

// LoadFiles loads a run from the files of its folder.
func LoadFiles(files fstest.MapFS) (*Run, error) { return load(files, "run") }

// SealUnchecked seals heats that Commit may refuse, with checksums that fit, as a
// program with a defect would.
func SealUnchecked(results *os.Root, name string, m Manifest, records []Record) error {
	p, err := Create(results, name, m)
	if err != nil {
		return err
	}
	defer p.Close()
	p.records = records
	return p.Seal(m.Start)
}

// Resum makes a manifest whose checksums fit the files.
func Resum(files fstest.MapFS) []byte {
	var m Manifest
	if err := json.Unmarshal(files[manifestName].Data, &m); err != nil {
		panic(err)
	}
	for name := range m.Files {
		m.Files[name] = sumOf(files[name].Data)
	}
	return Encode(m)
}

// Encode is the text of a manifest.
func Encode(m Manifest) []byte {
	data, err := m.encode()
	if err != nil {
		panic(err)
	}
	return data
}

// PartialName is the folder of a run that is being made.
const PartialName = partialName

// TurnsSize is the size of the file of turns.
func TurnsSize(records []Record) int {
	var turns []byte
	for _, r := range records {
		turns = appendTurns(turns, r)
	}
	data, err := compress(turns)
	if err != nil {
		panic(err)
	}
	return len(data)
}

// Look holds the lock as who looks for what was left does.
func Look(results *os.Root) (io.Closer, error) { return acquire(results, "") }

// Compress and Decompress are what a file of turns goes through.
var Compress, Decompress = compress, decompress
