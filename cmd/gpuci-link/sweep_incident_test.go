//go:build incident

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSweepIncident: cargo builds 20 test binaries with -j20 on a slow disk and
// is killed in the middle. Its compilers go on under process 1, and start new
// links. Swept, they are gone with their linkers, and nothing comes after; left
// alone they go on. From there to an IO full below 40 % the time is printed, of
// both. A build of another lane, at work meanwhile, ends as ever.
func TestSweepIncident(t *testing.T) {
	tools := t.TempDir()
	command(t, "go", "build", "-o", tools+"/", "gpuci/cmd/gpuci", "gpuci/cmd/gpuci-link")
	disk := slowDisk(t, "strict")
	lane := incidentCrate(t, disk)
	other := filepath.Join(t.TempDir(), "kda2") // not on the slow disk
	for _, argv := range [][]string{
		{"git", "init", "-q", lane}, {"git", "-C", lane, "add", "-A"},
		{"git", "-C", lane, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x"},
		{"git", "-C", lane, "worktree", "add", "-q", other},
	} {
		command(t, argv...)
	}
	for _, how := range []string{"swept", "left alone"} {
		_ = os.RemoveAll(lane + "/target")
		_ = os.RemoveAll(other + "/target")
		syscall.Sync()
		killCargo(t, lane)
		left := orphansIn(lane)
		if len(left) == 0 {
			t.Fatal("cargo left nothing behind")
		}
		began := time.Now()
		if how == "swept" {
			beside := startBeside(t, other)
			stdout := sweepLane(t, tools, lane)
			t.Logf("%s in %s", strings.TrimSpace(stdout), time.Since(began).Round(time.Millisecond))
			time.Sleep(2 * time.Second)
			if again := orphansIn(lane); len(again) != 0 {
				t.Errorf("there are %d after the sweep", len(again))
			}
			if err := beside(); err != nil {
				t.Errorf("the build of the other lane: %v", err)
			}
		}
		t.Logf("%s: %d processes; IO full below 40 %% after %s", how, len(left), untilCalm(began))
		endTree(t, lane)
	}
}

// killCargo builds in a lane and kills cargo when its links are at work.
func killCargo(t *testing.T, lane string) {
	t.Helper()
	cmd := exec.Command("cargo", "build", "--tests", "-j20", "--offline", "--quiet")
	cmd.Dir, cmd.Env = lane, append(os.Environ(), "RUSTFLAGS=-Clink-arg=-fuse-ld=mold")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		mold := 0
		for _, exe := range orphansIn(lane) {
			if strings.HasSuffix(exe, "mold") {
				mold++
			}
		}
		if mold >= 5 || time.Now().After(late) {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	time.Sleep(3 * time.Second)
}

// orphansIn are the programs of the processes that work in a lane, cargo but
// for, by pid.
func orphansIn(lane string) map[int]string {
	out := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		cwd, err := os.Readlink(dir + "/cwd")
		exe, xerr := os.Readlink(dir + "/exe")
		if err != nil || xerr != nil || cwd != lane && !strings.HasPrefix(cwd, lane+"/") || strings.HasSuffix(exe, "/cargo") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			out[pid] = exe
		}
	}
	return out
}

// startBeside builds in another lane, and gives what waits for its end.
func startBeside(t *testing.T, lane string) func() error {
	t.Helper()
	cmd := exec.Command("cargo", "build", "--tests", "-j2", "--offline", "--quiet")
	cmd.Dir = lane
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd.Wait
}

func sweepLane(t *testing.T, tools, lane string) string {
	t.Helper()
	cmd := exec.Command(tools+"/gpuci", "reaper", "sweep")
	cmd.Dir = lane
	cmd.Env = append(os.Environ(), "GPUCI_LOCK_DIR="+tools+"/locks", "GPUCI_MACHINE_FILE=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("sweep: %v: %s", err, out)
	}
	return string(out)
}

// untilCalm is how long it takes until IO full is below 40 % for a second.
func untilCalm(began time.Time) string {
	const most = 2 * time.Minute
	before, at := ioFullTotal(), time.Now()
	for time.Since(began) < most {
		time.Sleep(time.Second)
		total, now := ioFullTotal(), time.Now()
		if float64(total-before) < 0.4*float64(now.Sub(at).Microseconds()) {
			return now.Sub(began).Round(100 * time.Millisecond).String()
		}
		before, at = total, now
	}
	return "more than " + most.String()
}

func ioFullTotal() (total int64) {
	data, _ := os.ReadFile("/proc/pressure/io")
	_, full, _ := strings.Cut(string(data), "full ")
	_, text, _ := strings.Cut(full, "total=")
	total, _ = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return total
}
