package fleet

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hotpath/internal/host"
	"hotpath/internal/run"
)

// Task makes the run of a task on this node, or goes on with it. The fleet is that
// of the folder dir, and the task is named as its kind and number with a dot between.
func Task(ctx context.Context, w io.Writer, dir, name string, check run.Check) error {
	p, err := readPlan(dir)
	if err != nil {
		return err
	}
	t, err := p.task(name)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if s := examine(root, p, t); s.run != nil {
		fmt.Fprintf(w, "%s: measured already\n", t)
		return nil
	}
	if n := host.Fingerprint().CPUs; n < p.CPUs {
		return fmt.Errorf("%s: this node lets a process use %d CPUs, and the fleet asks for %d: nothing is measured", t, n, p.CPUs)
	}
	budget, err := time.ParseDuration(p.Budget)
	if err != nil {
		return err
	}
	node, err := nodeName()
	if err != nil {
		return err
	}
	own := filepath.Join(dir, filepath.FromSlash(t.folder()), node)
	if err := os.MkdirAll(own, 0o777); err != nil {
		return err
	}
	return run.Measure(ctx, w, run.Options{Kit: filepath.Join(dir, "kit"), Budget: budget, Results: own, Check: check})
}

// task finds a task by its name.
func (p *Plan) task(name string) (task, error) {
	kind, number, _ := strings.Cut(name, ".")
	n, err := strconv.Atoi(number)
	if err == nil && n >= 1 && n <= p.Runs {
		for _, k := range p.Kinds {
			if k.Name == kind {
				return task{kind, n}, nil
			}
		}
	}
	return task{}, fmt.Errorf("the plan has no task %.80q", name)
}

// nodeName is the folder of this node: the name that Slurm knows it by, or else that
// of the host.
func nodeName() (string, error) {
	if name := os.Getenv("SLURMD_NODENAME"); name != "" {
		return word(name), nil
	}
	name, err := os.Hostname()
	return word(name), err
}
