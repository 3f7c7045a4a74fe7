//go:build incident

package main_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// limit ends a build that does not: the incident itself took longer than
// anybody waited.
const limit = 100 * time.Second

// outcome is what one build did to the machine.
type outcome struct {
	wall    time.Duration
	over    bool          // ended at the limit
	stuck   int           // most linkers in D at one look
	linkers int           // most linkers alive at one look
	fsync   time.Duration // median of a bystander's
	fsyncs  int
}

func (o outcome) String() string {
	wall := o.wall.Round(100 * time.Millisecond).String()
	if o.over {
		wall = "over " + limit.String()
	}
	return fmt.Sprintf("%-12s  linkers alive %2d, in D %2d  fsync %v (median of %d)", wall, o.linkers, o.stuck, o.fsync.Round(time.Millisecond), o.fsyncs)
}

// TestIncident plays the incident again: 20 test binaries with -j20 on a slow
// disk, bare and through gpuci, with rust-lld and with mold, in turn, and
// prints what became of it: wall time, linkers at once, and how long an fsync
// of somebody else took. GPUCI_INCIDENT_RUNS says how often (3),
// GPUCI_INCIDENT_DISK on which slow disk (see slowDisk).
func TestIncident(t *testing.T) {
	runs := 3
	if n, err := strconv.Atoi(os.Getenv("GPUCI_INCIDENT_RUNS")); err == nil {
		runs = n
	}
	tools := t.TempDir()
	command(t, "go", "build", "-o", tools+"/", "gpuci/cmd/gpuci", "gpuci/cmd/gpuci-link")
	disk := slowDisk(t, cmp.Or(os.Getenv("GPUCI_INCIDENT_DISK"), "dirty"))
	crate := incidentCrate(t, disk)
	for _, linker := range strings.Fields(cmp.Or(os.Getenv("GPUCI_INCIDENT_LINKERS"), "lld mold")) {
		for run := range runs {
			for _, how := range []string{"gpuci", "bare"} {
				o := playBuild(t, crate, tools, linker, how)
				t.Logf("%-4s %-5s run %d: %s", linker, how, run+1, o)
			}
		}
	}
}

// incidentCrate is a package with 20 test binaries, compiled but for them.
func incidentCrate(t *testing.T, disk string) string {
	t.Helper()
	dir := filepath.Join(disk, "crate")
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("Cargo.toml", "[package]\nname = \"incident\"\nversion = \"0.0.0\"\nedition = \"2021\"\n")
	write("src/lib.rs", "pub fn n() -> u32 { 1 }\n")
	for i := range 20 {
		write(fmt.Sprintf("tests/t%02d.rs", i), fmt.Sprintf("#[test]\nfn t() { assert_eq!(incident::n(), 1, \"{:?}\", std::collections::HashMap::from([(%d, \"x\")])); }\n", i))
	}
	return dir
}

// playBuild builds from nothing, while a bystander writes and linkers are counted.
func playBuild(t *testing.T, crate, tools, linker, how string) (o outcome) {
	t.Helper()
	if err := os.RemoveAll(crate + "/target"); err != nil {
		t.Fatal(err)
	}
	syscall.Sync()
	argv := []string{"cargo", "build", "--tests", "-j20", "--offline", "--quiet"}
	if how == "gpuci" {
		argv = append([]string{tools + "/gpuci", "build", "--"}, argv...)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = crate
	cmd.Env = append(os.Environ(), "GPUCI_LOCK_DIR="+tools+"/locks", "XDG_DATA_HOME="+tools+"/data", "GPUCI_MACHINE_FILE=/dev/null")
	if linker == "mold" {
		cmd.Env = append(cmd.Env, "RUSTFLAGS=-Clink-arg=-fuse-ld=mold")
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	done := make(chan struct{})
	var side sync.WaitGroup
	side.Go(func() { o.fsync, o.fsyncs = bystander(t, crate+"/bystander", done) })
	side.Go(func() { o.linkers, o.stuck = countLinkers(crate, done) })
	began := time.Now()
	err := cmd.Run()
	o.wall = time.Since(began)
	close(done)
	side.Wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.over = true
		endTree(t, crate)
	case err != nil:
		text := said.String()
		t.Fatalf("%s %s: %v\n…%s", linker, how, err, text[max(0, len(text)-2000):])
	}
	return o
}

// bystander is somebody else on the machine, who writes a page now and then
// and needs to know that it is on the disk.
func bystander(t *testing.T, path string, done <-chan struct{}) (median time.Duration, n int) {
	f, err := os.Create(path)
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	defer f.Close()
	var took []time.Duration
	for page := make([]byte, 4096); ; {
		select {
		case <-done:
			slices.Sort(took)
			if len(took) == 0 {
				return 0, 0
			}
			return took[len(took)/2], len(took)
		case <-time.After(200 * time.Millisecond):
		}
		began := time.Now()
		if _, err := f.WriteAt(page, 0); err != nil {
			t.Error(err)
		}
		if err := f.Sync(); err != nil {
			t.Error(err)
		}
		took = append(took, time.Since(began))
	}
}

// countLinkers looks ten times a second at the linkers that work in the crate.
func countLinkers(crate string, done <-chan struct{}) (alive, stuck int) {
	for {
		select {
		case <-done:
			return alive, stuck
		case <-time.After(100 * time.Millisecond):
		}
		found := map[string]string{} // pid to parent: mold does its work in a child
		d := 0
		exes, _ := filepath.Glob("/proc/[0-9]*/exe")
		for _, exe := range exes {
			program, err := os.Readlink(exe)
			dir := filepath.Dir(exe)
			if cwd, _ := os.Readlink(dir + "/cwd"); err != nil || cwd != crate || !linkerName(filepath.Base(program)) {
				continue
			}
			state, parent := stateOf(dir + "/stat")
			found[filepath.Base(dir)] = parent
			if state == "D" {
				d++
			}
		}
		a := 0
		for _, parent := range found {
			if _, ok := found[parent]; !ok {
				a++
			}
		}
		alive, stuck = max(alive, a), max(stuck, d)
	}
}

func linkerName(name string) bool {
	return slices.Contains([]string{"ld", "x86_64-linux-gnu-ld.bfd", "lld", "rust-lld", "mold"}, name)
}

func stateOf(path string) (state, parent string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", ""
	}
	at := strings.LastIndex(string(data), ") ")
	f := strings.Fields(string(data[max(0, at):]))
	if len(f) < 3 {
		return "", ""
	}
	return f[1], f[2]
}

// endTree ends what a build that was ended at the limit left: processes whose
// working directory or environment is of no use here, so those that stand in
// the crate, by pid.
func endTree(t *testing.T, crate string) {
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		cwds, _ := filepath.Glob("/proc/[0-9]*/cwd")
		left := 0
		for _, link := range cwds {
			to, err := os.Readlink(link)
			if err != nil || to != crate {
				continue
			}
			left++
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && pid != os.Getpid() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
	}
	t.Error("what the build left does not end")
}
