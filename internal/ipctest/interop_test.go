package ipctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotpath/impl/ipc"
)

// npmClient is a client of HBase for Node.js, not written here.
const npmClient = "hbase-rpc-client@0.1.15"

// TestNodeClient lets that client put, get, scan, batch and meet an exception. It
// sends no codec, so cells travel inside the messages. Without Node.js, npm or a
// registry the test is skipped; with CI set in the environment it fails instead.
func TestNodeClient(t *testing.T) {
	skip := t.Skipf
	if os.Getenv("CI") != "" {
		skip = t.Fatalf
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip("no client of another project: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	install := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, npmClient)
	if out, err := install.CombinedOutput(); err != nil {
		skip("no client of another project: npm install %s: %v\n%s", npmClient, err, out)
	}

	var rows table
	host, port, err := net.SplitHostPort(start(t, &ipc.Server{Services: rows.services()}))
	if err != nil {
		t.Fatal(err)
	}
	node := exec.CommandContext(ctx, "node", "--no-deprecation", filepath.Join("testdata", "client.js"), dir, host, port)
	out, err := node.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}

	type cell struct {
		Row, Family, Qualifier, Timestamp string
		Type                              int
		Value                             []byte
	}
	var did struct {
		Processed  bool
		Got, Empty []cell
		Pipelined  []string
		Multi      []int
		Scanned    int
		Exception  struct{ ClassName, StackTrace string }
		After      int
	}
	if err := json.Unmarshal(out, &did); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if !did.Processed || len(did.Got) != 10 {
		t.Errorf("a put of 10 cells: processed %v, %d come back", did.Processed, len(did.Got))
	}
	for i, c := range did.Got {
		value := c.Value
		c.Value = nil
		want := cell{Row: "r", Family: "f", Qualifier: fmt.Sprint("q", i), Timestamp: "1", Type: 4}
		if fmt.Sprint(c) != fmt.Sprint(want) || !bytes.Equal(value, bytes.Repeat([]byte{byte(i)}, 10<<10)) {
			t.Errorf("cell %d: %v with a value of %d bytes", i, c, len(value))
		}
	}
	for i, v := range did.Pipelined {
		if v != fmt.Sprint("v", i) {
			t.Errorf("pipelined get %d: %s", i, v)
		}
	}
	if len(did.Pipelined) != 100 || fmt.Sprint(did.Multi) != "[10 1]" || did.Scanned != 101 || len(did.Empty) != 0 || did.After != 1 {
		t.Errorf("%d pipelined, multi %v, %d rows scanned, %d cells of an absent row, %d after the exception",
			len(did.Pipelined), did.Multi, did.Scanned, len(did.Empty), did.After)
	}
	const class = "org.apache.hadoop.hbase.NotServingRegionException"
	if did.Exception.ClassName != class || !strings.HasPrefix(did.Exception.StackTrace, class+": "+noSuchRow) {
		t.Errorf("exception %+v", did.Exception)
	}
}
