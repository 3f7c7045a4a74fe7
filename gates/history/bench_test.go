//go:build bench

package history

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// The aims of the issue, and of a gate around nothing, which takes 23 ms in all.
const (
	aimHistory = 150 * time.Millisecond
	aimRecord  = 10 * time.Millisecond
	aimOnce    = 5 * time.Millisecond
)

const many = 100_000 // results of the figures: 20 gates, 8 lanes, 5 metrics each

// grown is a history of so many results.
func grown(t *testing.T) *stage {
	st := newStage(t)
	s := st.open()
	begun := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; i < many; {
		err := s.write(t.Context(), func(tx *sql.Tx) error {
			for range 2000 {
				e, err := newEntry(sampleResult(i, begun.Add(time.Duration(i)*10*time.Minute)))
				if err != nil {
					return err
				}
				if _, err := s.insert(t.Context(), tx, e, s.uid); err != nil {
					return err
				}
				i++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	st.close(s)
	return st
}

// sampleResult is the i-th result: gates take turns, and lanes.
func sampleResult(i int, at time.Time) Result {
	r := result(fmt.Sprintf("%s-%08x", at.Format("20060102T150405Z"), i))
	r.Gate, r.Lane, r.Started = fmt.Sprint("gate", i%20), fmt.Sprint("lane", i/20%8), at
	r.Outcome = []string{"green", "green", "green", "red", "broken"}[i/160%5]
	r.Tests = &Tests{Reader: "libtest", Passed: 12, Suites: 2}
	r.Used = &Used{CPU: 31.25, Read: 1 << 20, Written: 1 << 21, Switches: 4711, Peak: 1 << 30}
	r.Stall = &Stall{IOFull: &Extent{0.125, 0.5}, IOSome: &Extent{0.25, 0.75}, CPUSome: &Extent{0.125, 0.5}, MemoryFull: &Extent{}}
	r.Tools = []Tool{{"cargo", "/usr/bin/cargo", "cargo 1.90.0 (840b83a10 2025-07-30)"}, {"nvcc", "/usr/local/cuda/bin/nvcc", "13.0"}}
	r.Products = []Product{{Path: "target/debug/deps/fused_adjoint_f64-0123456789abcdef", SHA256: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Bytes: 12345678}}
	r.Metrics = nil
	for k := range 5 {
		v := float64(i%1000) / 7 * float64(k+1)
		r.Metrics = append(r.Metrics, Metric{Metric: fmt.Sprint("metric", k), Labels: "term=d_g", Unit: "ms", Count: 3, Low: v, High: v * 1.5, Last: &v})
	}
	return r
}

// TestBenchHistory prints what `gpuci history GATE` asks, from Open to Close: the
// last 20 results, the courses of at most 8 series with their last 60 points, and
// the counts by outcome; beside the count of all rows, by the driver alone.
func TestBenchHistory(t *testing.T) {
	st := grown(t)
	if info, err := os.Stat(st.path("history.db")); err == nil {
		t.Logf("%d results, %d MiB", many, info.Size()>>20)
	}
	took := inTurn(t, 15, []way{
		{"history of a gate", func() error { return st.history(Query{Gate: "gate7", Limit: 20}) }},
		{"of a gate in a lane", func() error { return st.history(Query{Gate: "gate7", Lane: "lane3", Limit: 20}) }},
		{"of all gates", func() error { return st.history(Query{Limit: 20}) }},
		{"the latest of all lanes", func() error {
			s := st.open(readOnly)
			defer s.Close()
			list, err := s.Latest(t.Context())
			if err == nil && len(list) != 160 {
				err = fmt.Errorf("%d of 160", len(list))
			}
			return err
		}},
		{"select count(*)", func() error {
			db := connect(st.path("history.db"), time.Second, true)
			defer db.Close()
			var n int
			return db.QueryRow("select count(*) from results").Scan(&n)
		}},
	})
	t.Logf("aim: a gate of %d results in %s: %s", many, aimHistory, met(took <= aimHistory))
}

func readOnly(o *Options) { o.ReadOnly = true }

func (st *stage) history(q Query) error {
	s := st.open()
	defer s.Close()
	n := 0
	for _, err := range s.Results(st.t.Context(), q) {
		if err != nil {
			return err
		}
		n++
	}
	courses, points := []Course(nil), 0
	var err error
	if q.Gate != "" {
		c := q
		c.Limit = 60
		courses, err = s.Course(st.t.Context(), c, "", 8)
		for _, c := range courses {
			points += len(c.Points)
		}
	}
	counts, err2 := s.Count(st.t.Context(), q)
	if n != q.Limit || q.Gate != "" && points != 5*60 || counts["green"] < 100 {
		err = fmt.Errorf("%d results, %d points, %v", n, points, counts)
	}
	return errors.Join(err, err2)
}

// TestBenchRecord prints what Record takes with eight processes at it at once, as
// they measure it, beside a file of 4 KiB that is written and renamed; and what
// one process takes to open, record and close, which every gate does.
func TestBenchRecord(t *testing.T) {
	for _, job := range []string{"record", "file"} {
		st := newStage(t)
		st.close(st.open())
		var list []*child
		for i := range 8 {
			list = append(list, start(t, command(t, "time", job, st.dir, fmt.Sprint("w", i), "200")))
		}
		var all []time.Duration
		for _, c := range list {
			lines, err := c.rest()
			if err != nil || len(lines) != 200 {
				t.Fatalf("%d, %v: %s", len(lines), err, c.err.String())
			}
			for _, l := range lines {
				ns, _ := strconv.ParseInt(l, 10, 64)
				all = append(all, time.Duration(ns))
			}
		}
		slices.Sort(all)
		t.Logf("%-7s eight at once: median %s, 99 %% under %s, slowest %s", job, all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
		if job == "record" {
			t.Logf("aim: %s: %s", aimRecord, met(all[len(all)/2] <= aimRecord))
		}
	}
	once(t)
}

func once(t *testing.T) {
	st := newStage(t)
	st.close(st.open())
	i, file := 0, filepath.Join(t.TempDir(), "file")
	took := inTurn(t, 300, []way{
		{"open, record, close", func() error {
			i++
			s := st.open()
			return errors.Join(s.Record(t.Context(), sampleResult(i, time.Now())), s.Close())
		}},
		{"open, close", func() error { return st.open().Close() }},
		{"a file and its rename", func() error { return renamed(file) }},
	})
	t.Logf("aim: %s: %s", aimOnce, met(took <= aimOnce))
}

func renamed(path string) error {
	return errors.Join(os.WriteFile(path+".part", make([]byte, 4096), 0o644), os.Rename(path+".part", path))
}

// way is one of those that are compared.
type way struct {
	name string
	do   func() error
}

// inTurn does each so often, one after the other, prints the medians and gives
// the first one's.
func inTurn(t *testing.T, times int, ways []way) time.Duration {
	took := make([][]time.Duration, len(ways))
	for range times {
		for i, w := range ways {
			began := time.Now()
			if err := w.do(); err != nil {
				t.Fatalf("%s: %v", w.name, err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	var peer time.Duration
	for i := range slices.Backward(ways) {
		slices.Sort(took[i])
		median := took[i][times/2]
		if peer == 0 {
			peer = median
		}
		t.Logf("%-24s median %9s, slowest %9s, %6.2f of the peer", ways[i].name, median.Round(time.Microsecond), took[i][times-1].Round(time.Microsecond), float64(median)/float64(peer))
	}
	return took[0][times/2]
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "NOT met"
}
