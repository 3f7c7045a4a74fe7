package worktrees

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkScratch50k times NewScratch beside `git worktree add` on one
// repository, turn by turn, and reports both medians in milliseconds and their
// ratio: at a commit, of a clean lane, of one with 100 changed files.
func BenchmarkScratch50k(b *testing.B) {
	r := largeRepo(b)
	b.Run("commit", func(b *testing.B) { besideAdd(b, r, ScratchOptions{Commit: r.head()}) })
	b.Run("clean", func(b *testing.B) { besideAdd(b, r, ScratchOptions{}) })
	for i := range 50 {
		r.write(fmt.Sprintf("mod03/pkg0%02d/sub05/file_6.go", i), "package changed\n")
		r.write(fmt.Sprintf("mod03/new/%d.go", i), "package changed\n")
	}
	b.Run("100 changed", func(b *testing.B) { besideAdd(b, r, ScratchOptions{}) })
}

func besideAdd(b *testing.B, r repo, o ScratchOptions) {
	o.Dir = r.scratchHome()
	var ours, gits []time.Duration
	for b.Loop() {
		start := time.Now()
		s, err := NewScratch(context.Background(), r.lane(), o)
		r.check(err)
		ours = append(ours, time.Since(start))
		r.check(s.Remove(context.Background()))
		side := filepath.Join(filepath.Dir(r.dir), "side")
		start = time.Now()
		r.git("worktree", "add", "-q", "--detach", side, "HEAD")
		gits = append(gits, time.Since(start))
		r.git("worktree", "remove", "--force", side)
	}
	a, g := median(ours), median(gits)
	b.ReportMetric(float64(a)/1e6, "scratch-ms")
	b.ReportMetric(float64(g)/1e6, "worktree-add-ms")
	b.ReportMetric(float64(a)/float64(g), "of-worktree-add")
	b.ReportMetric(0, "ns/op") // the two together mean nothing
}
