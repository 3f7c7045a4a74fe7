package worktrees

import (
	"context"
	"testing"
	"time"
)

// BenchmarkDraft50k times ReadDraft beside the ReadState it needs, and reports
// both medians in milliseconds.
func BenchmarkDraft50k(b *testing.B) {
	r := largeRepo(b)
	l := r.lane()
	run := func(b *testing.B) {
		var states, drafts []time.Duration
		for b.Loop() {
			start := time.Now()
			st, err := ReadState(context.Background(), l)
			if err != nil {
				b.Fatal(err)
			}
			read := time.Now()
			if _, err := ReadDraft(context.Background(), l, st); err != nil {
				b.Fatal(err)
			}
			states, drafts = append(states, read.Sub(start)), append(drafts, time.Since(read))
		}
		b.ReportMetric(float64(median(states))/1e6, "state-ms")
		b.ReportMetric(float64(median(drafts))/1e6, "draft-ms")
		b.ReportMetric(0, "ns/op") // the two together mean nothing
	}
	b.Run("clean", run)
	r.write("mod03/pkg004/sub05/file_6.go", "package changed\n")
	r.write("mod03/new.go", "package changed\n")
	b.Run("dirty", run)
	many(r, 1000)
	b.Run("1000 new", run)
}
