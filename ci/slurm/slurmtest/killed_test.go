package slurmtest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childDir makes the test binary a process that has a rig in this directory, and waits.
const childDir = "GPUCI_TEST_RIG"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		r, err := Up(dir, Options{})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if out, err := r.Command(context.Background(), "sbatch", "--output=/dev/null", "--wrap=exec sleep 600").CombinedOutput(); err != nil {
			fmt.Println(err, string(out))
			os.Exit(1)
		}
		fmt.Println("up", r.Conf)
		select {}
	}
	os.Exit(m.Run())
}

// Of a rig whose test was killed nothing is left: no daemon, and no job.
func TestKilled(t *testing.T) {
	dir, err := os.MkdirTemp("", "slurm")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	conf, up := strings.CutPrefix(strings.TrimSpace(line), "up ")
	if _, missing := programs(Options{}); missing != nil && os.Getenv("GPUCI_TEST_STRICT") != "1" {
		t.Skip(missing)
	}
	for end := time.Now().Add(3 * time.Minute); up && len(of(t, conf)) < 6 && time.Now().Before(end); { // its job has begun
		time.Sleep(20 * time.Millisecond)
	}
	had := of(t, conf)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !up || len(had) < 6 {
		t.Fatalf("it said %q, %v, and has the processes %q", line, err, had)
	}
	for end := time.Now().Add(3 * time.Minute); len(of(t, conf)) > 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if left := of(t, conf); len(left) > 0 {
		t.Errorf("still there: %q", left)
	}
	data, err := os.ReadFile(filepath.Join(dir, "nodes"))
	if err != nil {
		t.Fatal(err)
	}
	if err := removeGroups(strings.Fields(string(data))); err != nil {
		t.Error(err)
	}
}

// of are the processes that have a rig's configuration in their environment.
func of(t *testing.T, conf string) (all []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains("\x00"+string(data), "\x00SLURM_CONF="+conf+"\x00") {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
			all = append(all, strings.TrimSpace(string(name)))
		}
	}
	return all
}
