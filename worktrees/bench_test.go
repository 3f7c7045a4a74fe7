package worktrees

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// largeRepo makes a clean repository of 50,000 files in 5,000 directories,
// with an ignored build tree beside them.
func largeRepo(b *testing.B) repo {
	b.Helper()
	r := emptyRepo(b)
	for i := range 50_000 {
		dir := fmt.Sprintf("mod%02d/pkg%03d/sub%02d", i/5000, i/100%50, i/10%10)
		r.write(fmt.Sprintf("%s/file_%d.go", dir, i%10), fmt.Sprintf("package x // %d\n%s", i, strings.Repeat("x", i%400)))
	}
	r.write(".gitignore", "/target/\n")
	for i := range 2000 {
		r.write(fmt.Sprintf("target/debug/%d/x.o", i), "")
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "large")
	r.settle()
	return r
}

// BenchmarkState50k times ReadState beside `git status` on one tree, turn by
// turn, and reports both medians in milliseconds and their ratio.
func BenchmarkState50k(b *testing.B) {
	r := largeRepo(b)
	l := r.lane()
	b.Run("clean", func(b *testing.B) {
		r.wantProven()
		beside(b, r, l)
	})
	b.Run("dirty", func(b *testing.B) {
		r.write("mod03/pkg004/sub05/file_6.go", "package changed\n")
		r.write("mod03/new.go", "package changed\n")
		beside(b, r, l)
	})
	b.Run("staged", func(b *testing.B) {
		r.git("add", "-A")
		beside(b, r, l)
	})
}

func beside(b *testing.B, r repo, l Lane) {
	var ours, gits []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := ReadState(context.Background(), l); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(start))
		start = time.Now()
		cmd := exec.Command("git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=all")
		cmd.Dir = r.dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		gits = append(gits, time.Since(start))
	}
	a, g := median(ours), median(gits)
	b.ReportMetric(float64(a)/1e6, "state-ms")
	b.ReportMetric(float64(g)/1e6, "git-status-ms")
	b.ReportMetric(float64(a)/float64(g), "of-git-status")
	b.ReportMetric(0, "ns/op") // the two together mean nothing
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
