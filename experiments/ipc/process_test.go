package ipc_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"hotpath/internal/bench"
	"hotpath/internal/measure"
)

// serving, in the environment of this binary, makes it the server of the
// contestant that it names, and nothing else. The process that started it
// speaks with it in lines over its standard input and output: the server begins
// with its address, and a line of bench.Ready; "open", ahead of a turn, is answered
// by an empty object, and "close", after it, by what was used since, as a JSON
// object of sums by unit. Between turns its collector does not run. It ends when
// its input does, and so never outlives its parent.
const serving = "HOTPATH_SERVE"

// serveLines is the server's side.
func serveLines(name string, in io.Reader, out io.Writer) error {
	s, err := find(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv, err := s.serve(l)
	if err != nil {
		return err
	}
	defer srv.stop()
	runtime.GC() // it counts what was allocated since the last one, here all that packages did as they began
	if _, err := fmt.Fprintf(out, "%v\n%v\n", l.Addr(), measure.Held()); err != nil {
		return err
	}
	answers := json.NewEncoder(out)
	var watcher measure.Watcher
	var opened func() map[bench.Unit]float64
	for lines := bufio.NewScanner(in); lines.Scan(); {
		figures := map[bench.Unit]float64{}
		switch line := lines.Text(); {
		case line == "open":
			opened = watch(srv, &watcher)
		case line == "close" && opened != nil:
			figures = opened()
		default:
			return fmt.Errorf("line %q", line)
		}
		if err := answers.Encode(figures); err != nil {
			return err
		}
	}
	return nil
}

// process is a server in a process of its own.
type process struct {
	addr  string
	ready bench.Ready
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
}

// startProcess starts this binary as the contestant's server.
func startProcess(name string, gogc int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), serving+"="+name, "GOGC="+strconv.Itoa(gogc))
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if p.addr, err = p.out.ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("server %s: %w", name, err), p.end())
	}
	p.addr = strings.TrimSpace(p.addr)
	line, err := p.out.ReadString('\n')
	if err == nil {
		p.ready, err = bench.ParseReady(line)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("server %s: %w", name, err), p.end())
	}
	return p, nil
}

// ask sends a line and returns the answer.
func (p *process) ask(line string) (map[bench.Unit]float64, error) {
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		return nil, err
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var figures map[bench.Unit]float64
	return figures, json.Unmarshal(answer, &figures)
}

// end ends the server and waits for it, so that its CPU time counts as this
// process's children's.
func (p *process) end() error {
	p.in.Close()
	return p.cmd.Wait()
}

// TestProcess has the floor echo in a process of its own, and reads from what
// the process tells that it did.
func TestProcess(t *testing.T) {
	p, err := startProcess("floor", 100)
	if err != nil {
		t.Fatal(err)
	}
	c, err := floorSystem.dial(p.addr, 1)
	if err != nil {
		t.Fatal(err)
	}
	caller := c.caller(newEcho(studyText, 10, 100, 1))
	const calls = 500
	opened, err := p.ask("open")
	if err != nil || len(opened) > 0 {
		t.Fatalf("answer to open: %v, %v", opened, err)
	}
	for range calls {
		if err := caller.call(); err != nil {
			t.Fatal(err)
		}
	}
	figures, err := p.ask("close")
	if err != nil {
		t.Fatal(err)
	}
	c.close()
	limits := map[bench.Unit][2]float64{
		bench.ServerCPU:      {calls, calls * 1e7},
		bench.ServerAllocs:   {0, calls}, // those of reading the figures
		bench.ServerGCCPU:    {0, calls * 1e6},
		bench.ServerGCCycles: {0, calls / 100},
		bench.Reads:          {calls, 2.1 * calls},
		bench.Writes:         {calls, 1.1 * calls},
	}
	if reads, _ := systemCalls(); reads < 0 {
		delete(limits, bench.Reads)
		delete(limits, bench.Writes)
	}
	for unit, l := range limits {
		if v, ok := figures[unit]; !ok || v < l[0] || v > l[1] {
			t.Errorf("%s: %v, want from %v to %v", unit, figures[unit], l[0], l[1])
		}
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
	if conn, err := net.Dial("tcp", p.addr); err == nil {
		conn.Close()
		t.Error("the server accepts connections after its end")
	}
	if cpu := p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime(); cpu <= 0 {
		t.Errorf("CPU time %v of the ended server", cpu)
	}
}

func TestProcessRefuses(t *testing.T) {
	if _, err := startProcess("nobody", 100); err == nil {
		t.Error("a server of no contestant started")
	}
}
