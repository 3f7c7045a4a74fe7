package proc

import (
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Processes that come and go under a pass are no errors, and one that stays is
// in every picture, as single reads show it.
func TestScanWhileProcessesComeAndGo(t *testing.T) {
	pid := sleeper(t)
	stop := make(chan struct{})
	var churn sync.WaitGroup
	for range 2 {
		churn.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command("/bin/true").Run()
				}
			}
		})
	}
	defer churn.Wait()
	defer close(stop)
	exe, err := Real.Exe(pid)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		p, err := Real.Scan(ScanOptions{Exe: true, Cwd: true})
		if err != nil {
			t.Fatal(err)
		}
		if p.Table[pid].Comm != "sleep" || p.Exe[pid].Path != exe.Path || !p.Cwd[pid].Known() || len(p.Exe) != len(p.Table) {
			t.Fatalf("got %+v, %+v, %+v", p.Table[pid], p.Exe[pid], p.Cwd[pid])
		}
	}
}

// A pass over many processes, so many that it is split, sees each once.
func TestScanOfMany(t *testing.T) {
	const n = 3*minShare + 1
	procs := make(map[string]fixture, n)
	for pid := 1; pid <= n; pid++ {
		procs[strconv.Itoa(pid)] = fixture{
			files: map[string]string{"stat": line(pid, "sleep")},
			links: map[string]string{"exe": "/bin/sleep", "cwd": "/"},
		}
	}
	root := fixtureRoot(t, procs)
	var p Picture
	var err error
	cost := testing.AllocsPerRun(3, func() { p, err = root.Scan(ScanOptions{Exe: true, Cwd: true}) })
	if err != nil || len(p.Table) != n {
		t.Fatalf("%d seen, %v; want %d", len(p.Table), err, n)
	}
	for pid := 1; pid <= n; pid++ {
		if p.Table[pid].PID != pid || p.Exe[pid].Path != "/bin/sleep" || p.Cwd[pid].Path != "/" {
			t.Fatalf("pid %d: %+v, %+v, %+v", pid, p.Table[pid], p.Exe[pid], p.Cwd[pid])
		}
	}
	if cost > n/4 {
		t.Errorf("%.0f allocations for %d processes", cost, n)
	}
}

func BenchmarkTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Real.Table(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Real.Scan(ScanOptions{Exe: true, Cwd: true}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCmdline(b *testing.B) {
	ctx := soon(b)
	for b.Loop() {
		if _, err := Real.Cmdline(ctx, unix.Getpid()); err != nil {
			b.Fatal(err)
		}
	}
}
