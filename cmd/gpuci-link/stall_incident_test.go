//go:build incident

package main_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestForeignWriter: somebody outside any lane keeps the disk over the limit
// for GPUCI_INCIDENT_WRITER (10m). A build of 20 links spends its budget
// (GPUCI_INCIDENT_BUDGET, 5m) once, says so, and goes on, one link at a time
// and marked.
func TestForeignWriter(t *testing.T) {
	long, budget := duration(t, "GPUCI_INCIDENT_WRITER", 10*time.Minute), duration(t, "GPUCI_INCIDENT_BUDGET", 5*time.Minute)
	tools := t.TempDir()
	command(t, "go", "build", "-o", tools+"/", "gpuci/cmd/gpuci", "gpuci/cmd/gpuci-link")
	disk := slowDisk(t, "strict")
	ended := writer(t, disk, long)
	waitForStall(t)
	o := stalledBuild(t, t.TempDir(), tools, "budget="+budget.String())
	t.Logf("writer %s, budget %s: %s", long, budget, o)
	select {
	case <-ended:
		t.Error("the writer ended before the build did: it shows nothing")
	default:
	}
	if o.record.Held < budget.Seconds()-1 || o.record.Held > budget.Seconds()+3 || o.record.Under == "" {
		t.Errorf("held back for %.1f s of a budget of %s, under pressure %q", o.record.Held, budget, o.record.Under)
	}
	if !strings.Contains(o.stderr, "dd (pid ") || !strings.Contains(o.stderr, " in "+disk) || !strings.Contains(o.stderr, "20 links under tickets") {
		t.Errorf("said\n%s", o.stderr)
	}
}

// TestOwnStall: on the slow disk, with nobody else at work, the stall that a
// build's own links make holds none of them back.
func TestOwnStall(t *testing.T) {
	tools := t.TempDir()
	command(t, "go", "build", "-o", tools+"/", "gpuci/cmd/gpuci", "gpuci/cmd/gpuci-link")
	disk := slowDisk(t, cmp.Or(os.Getenv("GPUCI_INCIDENT_DISK"), "strict"))
	crate := incidentCrate(t, disk)
	peak := 0.0
	for _, linker := range []string{"lld", "mold"} {
		_ = os.RemoveAll(crate + "/target")
		o := cargoBuild(t, crate, tools, linker)
		t.Logf("%s: %s", linker, o)
		if s := o.record.Stall; s != nil && s.IOFull != nil {
			peak = max(peak, s.IOFull.Peak)
		}
		if o.record.Held > 2 || o.record.Under != "" || strings.Contains(o.stderr, "is held back") {
			t.Errorf("%s: held back for %.1f s: %s", linker, o.record.Held, o.stderr)
		}
	}
	if peak < 0.6 { // with lld alone there may be none, and none while others use the processors
		t.Errorf("there was no stall: io full %.0f%% at most", 100*peak)
	}
}

// buildRecord is what build.json says.
type buildRecord struct {
	Links string  `json:"links"`
	Held  float64 `json:"held-seconds"`
	Under string  `json:"under-pressure"`
	Stall *struct {
		IOFull *struct{ Mean, Peak float64 } `json:"io-full"`
	} `json:"stall"`
}

type stalled struct {
	wall   time.Duration
	stderr string
	record buildRecord
}

func (o stalled) String() string {
	text := fmt.Sprintf("%s, held back %.1f s; %s", o.wall.Round(100*time.Millisecond), o.record.Held, o.record.Links)
	if s := o.record.Stall; s != nil && s.IOFull != nil {
		text += fmt.Sprintf("; io full %.0f%%, %.0f%% at most", 100*s.IOFull.Mean, 100*s.IOFull.Peak)
	}
	return text
}

// writer keeps a file system busy, in a session of its own.
func writer(t *testing.T, disk string, long time.Duration) (ended <-chan struct{}) {
	t.Helper()
	script := fmt.Sprintf("while :; do dd if=/dev/zero of=%s/w bs=1M count=64 oflag=dsync conv=notrunc status=none; done", disk)
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = disk
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	end := time.AfterFunc(long, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() {
		end.Stop()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-done
		for range 600 { // its dd may be in D, with a file open on the disk
			if errors.Is(syscall.Kill(-cmd.Process.Pid, 0), syscall.ESRCH) {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Error("the writer does not end")
	})
	return done
}

// waitForStall returns when the last ten seconds were over the usual limits.
func waitForStall(t *testing.T) {
	t.Helper()
	for range 120 {
		data, err := os.ReadFile("/proc/pressure/io")
		if err != nil {
			t.Fatalf("needs PSI: %v", err)
		}
		var avg10 float64
		_, full, _ := strings.Cut(string(data), "full ")
		if _, err := fmt.Sscanf(full, "avg10=%f", &avg10); err == nil && avg10 > 60 {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Fatal("the writer makes no stall: is somebody computing on this machine? IO full counts only what moves nothing")
}

// stalledBuild links 20 programs in dir, which is not on the slow disk.
func stalledBuild(t *testing.T, dir, tools, rule string) stalled {
	t.Helper()
	make := "all:"
	for i := range 20 {
		make += fmt.Sprintf(" p%d", i)
	}
	for name, text := range map[string]string{"m.c": "int main(void) { return 0; }\n", "Makefile": make + "\nm.o: m.c\n\tcc -c m.c\np%: m.o\n\tcc m.o -o $@\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return throughGpuci(t, dir, tools, []string{"GPUCI_PRESSURE=" + rule}, "make", "-j20")
}

func cargoBuild(t *testing.T, crate, tools, linker string) stalled {
	t.Helper()
	var env []string
	if linker == "mold" {
		env = append(env, "RUSTFLAGS=-Clink-arg=-fuse-ld=mold")
	}
	return throughGpuci(t, crate, tools, env, "cargo", "build", "--tests", "-j20", "--offline", "--quiet")
}

// throughGpuci runs a build and reads its record.
func throughGpuci(t *testing.T, dir, tools string, env []string, argv ...string) (o stalled) {
	t.Helper()
	state := t.TempDir()
	cmd := exec.CommandContext(t.Context(), tools+"/gpuci", append([]string{"build", "--"}, argv...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GPUCI_LOCK_DIR="+tools+"/locks", "XDG_DATA_HOME="+tools+"/data", "GPUCI_MACHINE_FILE=/dev/null", "XDG_STATE_HOME="+state)
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	err := cmd.Run()
	o.wall, o.stderr = time.Since(began), stderr.String()
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, o.stderr)
	}
	found, _ := filepath.Glob(state + "/gpuci/*/builds/*/build.json")
	if len(found) != 1 {
		t.Fatalf("%d records of the build", len(found))
	}
	data, err := os.ReadFile(found[0])
	if err == nil {
		err = json.Unmarshal(data, &o.record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func duration(t *testing.T, name string, usual time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}
