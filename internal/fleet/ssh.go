package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"hotpath/internal/bench"
)

// ssh begins tasks through GNU parallel: one after another on each host, the hosts
// side by side. A host has the fleet's folder in its user's home.
type ssh struct {
	dir string
	*Plan
}

var hostPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@-]*$`)

// A host that asks for a password would wait for ever.
const batch = "-o BatchMode=yes"

// hostKinds makes a kind of each host.
func hostKinds(hosts []string) ([]Kind, error) {
	if err := need("apt-get install parallel rsync openssh-client", "parallel", "rsync", "ssh"); err != nil {
		return nil, err
	}
	var kinds []Kind
	for _, h := range hosts {
		if !hostPattern.MatchString(h) {
			return nil, fmt.Errorf("%.80q is no host", h)
		}
		kinds = append(kinds, Kind{word(h), h})
	}
	return kinds, nil
}

func (s *ssh) remote() string { return ".hotpath-fleet-" + s.ID }

// each has parallel run a command for each host, all at once. In the command {1} is
// the host and {2} what is given for it.
func (s *ssh) each(ctx context.Context, w io.Writer, command string, of map[string]string) error {
	var lines strings.Builder
	for _, k := range s.Kinds {
		if _, ok := of[k.Name]; ok {
			fmt.Fprintf(&lines, "%s\t%s\n", k.Option, of[k.Name])
		}
	}
	cmd := exec.CommandContext(ctx, "parallel", "--will-cite", "--jobs", "0", "--colsep", "\t", "--tagstring", "{1}", "--line-buffer", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines.String()), w, w
	cmd.Dir = s.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	return cmd.Run()
}

// fetch copies what hosts have of the runs: files and folders, and no links. One that
// does not answer has nothing new.
func (s *ssh) fetch(ctx context.Context) error {
	for _, folder := range []string{"runs", "log"} {
		if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o777); err != nil {
			return err
		}
	}
	of := map[string]string{}
	for _, k := range s.Kinds {
		of[k.Name] = k.Name
	}
	sync := fmt.Sprintf("rsync -e 'ssh %s' -r --no-links --max-size=%d", batch, maxBytes)
	pull := fmt.Sprintf("mkdir -p runs/{2} && %s {1}:%s/runs/{2}/ runs/{2}/ && %[1]s --include='{2}.*.log' --exclude='*' {1}:%[2]s/log/ log/", sync, s.remote())
	if err := s.each(ctx, io.Discard, pull, of); errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	} else if exit := new(exec.ExitError); !errors.As(err, &exit) {
		return err
	}
	return nil
}

// waiting knows of none: those that a lost connection left behind hold their lock.
func (s *ssh) waiting(context.Context) (map[task]string, error) { return nil, nil }

// begin copies the kit to the hosts that have tasks, and returns when these have ended.
func (s *ssh) begin(ctx context.Context, w io.Writer, tasks []state) error {
	numbers := map[string]string{}
	for _, t := range tasks {
		numbers[t.Kind] = strings.TrimSpace(fmt.Sprintf("%s %s.%d", numbers[t.Kind], t.Kind, t.Number))
	}
	push := fmt.Sprintf("rsync -e 'ssh %s' -a --mkpath kit plan.json {1}:%s/", batch, s.remote())
	work := fmt.Sprintf(`ssh %s {1} "cd %s && mkdir -p log && for t in {2}; do kit/benchrun fleet -dir . -task \$t >>log/\$t.log 2>&1 || tail -n 1 log/\$t.log; done"`, batch, s.remote())
	fmt.Fprintf(w, "measuring on %s; what is printed from here on is theirs\n", bench.Plural(len(numbers), "host"))
	err := s.each(ctx, w, push+" && "+work, numbers)
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if err != nil {
		fmt.Fprintf(w, "parallel: %v: a host was not reached\n", err)
	}
	return nil
}
