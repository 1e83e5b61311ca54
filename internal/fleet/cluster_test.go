package fleet

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cluster is a Slurm of this machine alone, with a controller and nodes on loopback
// that know nothing of another Slurm.
type cluster struct {
	dir, conf string
	ports     map[string]int // of the nodes
}

// mark is in the environment of every process of a node.
const mark = "FLEET_TEST_NODE="

// startCluster starts a cluster of the nodes n1 and n2, with a feature each. Its
// commands find it by the environment.
func startCluster(t *testing.T, features map[string]string) *cluster {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	for _, p := range []string{"slurmctld", "slurmd", "munged", "sbatch", "squeue", "sinfo"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("no %s: apt-get install slurm-wlm munge", p)
		}
	}
	// The paths of sockets are short, and those of t.TempDir are not.
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir, filepath.Join(dir, "slurm.conf"), map[string]int{}}
	t.Cleanup(func() { os.RemoveAll(dir) })
	c.munge(t)
	c.configure(t, features)
	t.Setenv("SLURM_CONF", c.conf)
	t.Cleanup(func() { kill(t, "SLURM_CONF="+c.conf) })
	c.start(t, nil, "slurmctld", "-D", "-f", c.conf)
	for node := range features {
		c.startNode(t, node)
	}
	for range 300 {
		if out, err := exec.Command("sinfo", "-h", "-t", "idle", "-o", "%D").Output(); err == nil && strings.TrimSpace(string(out)) == strconv.Itoa(len(features)) {
			return c
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, name := range []string{"slurmctld.log", "n1.log"} {
		log, _ := os.ReadFile(filepath.Join(dir, name))
		t.Logf("%s: %s", name, log)
	}
	t.Fatal("the cluster is not up within 30 s")
	return nil
}

// munge starts the daemon that the others trust one another by.
func (c *cluster) munge(t *testing.T) {
	t.Helper()
	key := make([]byte, 1024)
	rand.Read(key)
	if err := os.WriteFile(filepath.Join(c.dir, "key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	at := func(flag, name string) string { return flag + "=" + filepath.Join(c.dir, name) }
	c.start(t, nil, "munged", "--foreground", "--force", at("--key-file", "key"), at("--socket", "munge"),
		at("--pid-file", "munge.pid"), at("--log-file", "munge.log"), at("--seed-file", "munge.seed"))
	for range 100 {
		if _, err := os.Stat(filepath.Join(c.dir, "munge")); err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("munged is not up within 5 s")
}

func (c *cluster) configure(t *testing.T, features map[string]string) {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, line := range []string{
		"ClusterName=test", "SlurmctldHost=" + host + "(127.0.0.1)", "SlurmctldPort=" + strconv.Itoa(freePort(t)),
		"SlurmUser=" + me.Username, "SlurmdUser=" + me.Username, "AuthType=auth/munge", "AuthInfo=socket=" + filepath.Join(c.dir, "munge"),
		"StateSaveLocation=" + c.dir, "SlurmdSpoolDir=" + filepath.Join(c.dir, "%n"), "SlurmctldPidFile=" + filepath.Join(c.dir, "slurmctld.pid"),
		"SlurmdPidFile=" + filepath.Join(c.dir, "%n.pid"), "SlurmctldLogFile=" + filepath.Join(c.dir, "slurmctld.log"), "SlurmdLogFile=" + filepath.Join(c.dir, "%n.log"),
		"ProctrackType=proctrack/pgid", "TaskPlugin=task/none", "MpiDefault=none", "SwitchType=switch/none",
		"SelectType=select/cons_tres", "SelectTypeParameters=CR_CPU", "SlurmdParameters=config_overrides",
		"ReturnToService=2", "SlurmdTimeout=5", "KillWait=1", "SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1",
	} {
		fmt.Fprintln(&b, line)
	}
	for node, feature := range features {
		c.ports[node] = freePort(t)
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=%d Features=%s\n", node, host, c.ports[node], runtime.NumCPU(), feature)
	}
	fmt.Fprintln(&b, "PartitionName=all Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE")
	if err := os.WriteFile(c.conf, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// start starts a daemon that ends with the test.
func (c *cluster) start(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), append(env, "SLURM_CONF="+c.conf)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait()
	t.Cleanup(func() { cmd.Process.Kill() })
}

func (c *cluster) startNode(t *testing.T, node string) {
	t.Helper()
	c.start(t, []string{mark + c.dir + node}, "slurmd", "-D", "-f", c.conf, "-N", node)
}

// repair has the controller forget what a node that died was at, as who runs a cluster
// does, in place of asking it again for a minute.
func (c *cluster) repair(t *testing.T, node string) {
	t.Helper()
	for _, state := range []string{"down", "resume"} {
		if out, err := exec.Command("scontrol", "update", "nodename="+node, "state="+state, "reason=test").CombinedOutput(); err != nil {
			t.Logf("scontrol: %v %s", err, out) // slower without
		}
	}
}

// killNode ends a node as a power cut does: its daemon and all that it started.
func (c *cluster) killNode(t *testing.T, node string) {
	t.Helper()
	kill(t, mark+c.dir+node)
	kill(t, "SLURM_CONF="+c.conf, "SLURMD_NODENAME="+node)
}

// kill ends the processes that have all of some variables in their environment. The
// names of the variables hold a folder of this test.
func kill(t *testing.T, variables ...string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		env, errEnv := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || errEnv != nil || pid == os.Getpid() {
			continue
		}
		all := true
		for _, v := range variables {
			all = all && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+v+"\x00"))
		}
		if all {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
