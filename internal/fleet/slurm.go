package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slurm begins tasks as arrays of jobs that have a node to themselves.
type slurm struct {
	dir string
	*Plan
}

// output runs a program, and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %s", name, err, onOneLine(string(exit.Stderr)))
	}
	return string(out), err
}

// need refuses to go on without some programs.
func need(install string, programs ...string) error {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			return fmt.Errorf("no %s here: %s", p, install)
		}
	}
	return nil
}

// nodeKinds finds some partitions and features of the cluster.
func nodeKinds(ctx context.Context, names []string) ([]Kind, error) {
	if err := need("install Slurm's commands (apt-get install slurm-client) where the cluster is known, or name machines with HOSTS", "sbatch", "squeue", "sinfo"); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("NODES= names partitions or features of a Slurm cluster, HOSTS= machines for ssh; there is neither")
	}
	out, err := output(ctx, "sinfo", "--noheader", "--format=%R %f")
	if err != nil {
		return nil, err
	}
	var partitions, features []string
	for line := range strings.Lines(out) {
		partition, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		partitions = append(partitions, partition)
		features = append(features, strings.Split(list, ",")...)
	}
	var kinds []Kind
	for _, n := range names {
		switch {
		case slices.Contains(partitions, n):
			kinds = append(kinds, Kind{word(n), "--partition=" + n})
		case slices.Contains(features, n):
			kinds = append(kinds, Kind{word(n), "--constraint=" + n})
		default:
			all := append(partitions, features...)
			slices.Sort(all)
			return nil, fmt.Errorf("no partition and no feature %q; the cluster has %q", n, slices.Compact(all))
		}
	}
	return kinds, nil
}

func (s *slurm) fetch(context.Context) error { return nil }

func (s *slurm) job(kind string) string { return "hotpath-" + s.ID + "-" + kind }

// waiting asks for the jobs of this fleet alone.
func (s *slurm) waiting(ctx context.Context) (map[task]string, error) {
	var jobs []string
	of := map[string]string{}
	for _, k := range s.Kinds {
		jobs = append(jobs, s.job(k.Name))
		of[s.job(k.Name)] = k.Name
	}
	out, err := output(ctx, "squeue", "--me", "--array", "--noheader", "--name="+strings.Join(jobs, ","), "--format=%j|%K|%T|%r|%N")
	if err != nil {
		return nil, err
	}
	at := map[task]string{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 {
			return nil, fmt.Errorf("squeue: %.80q has not 5 fields", line)
		}
		n, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("squeue: %.80q: %w", line, err)
		}
		words := strings.ToLower(f[2])
		switch {
		case f[4] != "":
			words += " on " + f[4]
		case f[3] != "" && f[3] != "None":
			words += " (" + f[3] + ")"
		}
		at[task{of[f[0]], n}] = onOneLine(words)
	}
	return at, nil
}

// begin submits an array for each kind. Tasks that were begun on a node which is up
// have an array for that node.
func (s *slurm) begin(ctx context.Context, w io.Writer, tasks []state) error {
	up, err := s.up(ctx)
	if err != nil {
		return err
	}
	type array struct{ kind, node string }
	numbers := map[array][]string{}
	var arrays []array
	for _, t := range tasks {
		a := array{t.Kind, up[t.node]}
		if numbers[a] == nil {
			arrays = append(arrays, a)
		}
		numbers[a] = append(numbers[a], strconv.Itoa(t.Number))
	}
	for _, a := range arrays {
		id, err := s.submit(ctx, a.kind, a.node, strings.Join(numbers[a], ","))
		if err != nil {
			return fmt.Errorf("%s: %w", a.kind, err)
		}
		where := ""
		if a.node != "" {
			where = " for " + a.node
		}
		fmt.Fprintf(w, "%s: submitted %s as job %s%s\n", a.kind, strings.Join(numbers[a], ","), strings.TrimSpace(id), where)
	}
	return nil
}

// up are the nodes that can take a job, by the name of their folder.
func (s *slurm) up(ctx context.Context) (map[string]string, error) {
	out, err := output(ctx, "sinfo", "--Node", "--noheader", "--format=%N %t", "--states=idle,alloc,mix,comp,maint,resv")
	if err != nil {
		return nil, err
	}
	up := map[string]string{}
	for line := range strings.Lines(out) {
		name, condition, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.ContainsAny(condition, "*$~#!%") { // does not answer, or is not on
			up[word(name)] = name
		}
	}
	return up, nil
}

func (s *slurm) submit(ctx context.Context, kind, node, numbers string) (string, error) {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, "log"), 0o777); err != nil {
		return "", err
	}
	budget, err := time.ParseDuration(s.Budget)
	if err != nil {
		return "", err
	}
	option := s.Kinds[slices.IndexFunc(s.Kinds, func(k Kind) bool { return k.Name == kind })].Option
	args := []string{
		"--parsable", option, "--job-name=" + s.job(kind), "--array=" + numbers, "--exclusive", "--nodes=1", "--ntasks=1",
		fmt.Sprintf("--mincpus=%d", s.CPUs), "--requeue", "--open-mode=append", "--chdir=" + dir, "--output=log/" + kind + ".%a.log",
		// A noisy machine takes half as long again; more is a machine that hangs.
		fmt.Sprintf("--time=%d", int((2*budget + 10*time.Minute).Minutes())),
		"--wrap=exec kit/benchrun fleet -dir . -task " + kind + ".$SLURM_ARRAY_TASK_ID",
	}
	if node != "" {
		args = append(args, "--nodelist="+node)
	}
	return output(ctx, "sbatch", args...)
}
