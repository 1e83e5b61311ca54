package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"hotpath/internal/fleet"
)

// measureFleet is the fleet command: it makes runs on the nodes of a cluster.
//
//	benchrun fleet -nodes a,b [-runs 3] [-budget 30m] [-experiment name] [-cpus 2]
//	benchrun fleet -hosts a,b …
//	benchrun fleet -status
func measureFleet(ctx context.Context, w, wErr io.Writer, args []string) error {
	o := fleet.Options{Check: checkClaims}
	var nodes, hosts, task string
	var status bool
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.SetOutput(wErr)
	flags.StringVar(&nodes, "nodes", "", "`partitions` or features of a Slurm cluster, each a kind of node")
	flags.StringVar(&hosts, "hosts", "", "`hosts` to reach with ssh, instead")
	flags.IntVar(&o.Runs, "runs", 3, "runs of each kind of node, or of each host")
	flags.DurationVar(&o.Budget, "budget", 30*time.Minute, "time that a run spends on measuring")
	flags.StringVar(&o.Experiment, "experiment", "", "measure this experiment only")
	flags.IntVar(&o.CPUs, "cpus", 2, "CPUs that a node must have: with one nothing contends")
	flags.StringVar(&o.Dir, "dir", ".fleet", "folder of the fleet, which nodes of a cluster must see under the same path")
	flags.StringVar(&o.Results, "results", "results", "folder that runs are collected into")
	flags.StringVar(&o.Experiments, "experiments", "experiments", "folder of the experiments' packages")
	flags.BoolVar(&status, "status", false, "collect what has ended, and begin what is missing")
	flags.StringVar(&task, "task", "", "`name` of the task to do on this node: for the scheduler")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	o.Nodes, o.Hosts = list(nodes), list(hosts)
	switch {
	case task != "":
		return fleet.Task(ctx, w, o.Dir, task, o.Check)
	case status:
		return fleet.Status(ctx, w, o)
	case len(o.Nodes) > 0 && len(o.Hosts) > 0:
		return fmt.Errorf("-nodes and -hosts are two fleets: begin one after the other")
	}
	return fleet.Launch(ctx, w, o)
}

// list takes words apart that commas or spaces part.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
