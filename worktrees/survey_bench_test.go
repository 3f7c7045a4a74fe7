package worktrees

import (
	"context"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// manyLanes makes a repository of so many files and linked worktrees, each with
// a commit of its own, a changed file and a new one.
func manyLanes(tb testing.TB, files, lanes int) repo {
	tb.Helper()
	r := emptyRepo(tb)
	for i := range files {
		r.write(fmt.Sprintf("pkg%02d/file_%d.go", i/10, i%10), fmt.Sprintf("package x // %d\n", i))
	}
	r.write(".gitignore", "/target/\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	for i := range lanes {
		dir := fmt.Sprintf("../lanes/lane%03d", i)
		r.git("worktree", "add", "-q", dir, "-b", fmt.Sprintf("branch%03d", i))
		lane := repo{tb, r.path(dir)}
		lane.write("own", dir)
		lane.git("add", "-A")
		lane.git("commit", "-qm", "own")
		lane.settle()
		lane.write("pkg00/file_3.go", "package changed\n")
		lane.write("new.go", "package changed\n")
		lane.write("target/debug/x.o", "")
	}
	r.settle()
	return r
}

// cpuTime is what we and the processes that we waited for have used.
func cpuTime() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			sum += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return sum
}

// BenchmarkSurvey200 times Survey of 200 lanes beside `git worktree list` and
// `git status --porcelain` in each, both two at a time, turn by turn, and reports
// both medians in milliseconds and their ratio; and that of the CPU time, which
// other work on the machine alters less.
func BenchmarkSurvey200(b *testing.B) {
	const lanes = 200
	r := manyLanes(b, 300, lanes)
	l := r.lane()
	var ours, gits []time.Duration
	var ourCPU, gitCPU time.Duration
	for b.Loop() {
		start, used := time.Now(), cpuTime()
		list, err := Survey(context.Background(), l, SurveyOptions{Parallel: 2})
		ours, ourCPU = append(ours, time.Since(start)), ourCPU+cpuTime()-used
		if err != nil || len(list) != lanes+1 || list[lanes].State.Count != 2 || list[lanes].Ahead != 1 {
			b.Fatalf("%d lanes, %v, the last %+v", len(list), err, list[len(list)-1])
		}
		start, used = time.Now(), cpuTime()
		r.git("worktree", "list", "--porcelain", "-z")
		var group errgroup.Group
		group.SetLimit(2)
		for _, st := range list {
			group.Go(func() error {
				cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain")
				cmd.Dir = st.Root
				return cmd.Run()
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		gits, gitCPU = append(gits, time.Since(start)), gitCPU+cpuTime()-used
	}
	a, g := median(ours), median(gits)
	b.ReportMetric(float64(a)/1e6, "survey-ms")
	b.ReportMetric(float64(g)/1e6, "git-ms")
	b.ReportMetric(float64(a)/float64(g), "of-git")
	b.ReportMetric(float64(ourCPU)/float64(gitCPU), "cpu-of-git")
	b.ReportMetric(0, "ns/op") // the two together mean nothing
}
