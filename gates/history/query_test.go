package history

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A result comes back as it was given, with every bit of its numbers.
func TestRoundTrip(t *testing.T) {
	st := newStage(t)
	want := result("r1")
	negative, huge := math.Copysign(0, -1), math.MaxFloat64
	want.Metrics = append(want.Metrics, Metric{Metric: "odd", Count: 3, Low: negative, High: huge, Last: &negative, First: true},
		Metric{Metric: "tiny", Count: 1, Low: math.SmallestNonzeroFloat64, High: 1.0 / 3}, Metric{Metric: "whole", Count: 1, Low: 1 << 53, High: 1<<62 + 1<<10})
	want.Tests = &Tests{Reader: "libtest", Passed: 3}
	want.Stall = &Stall{IOFull: &Extent{Mean: 0.25, Peak: 0.86}}
	want.Used = &Used{CPU: 1.5, Read: 4096}
	want.Links = &Links{Ticketed: 2, Waited: 0.5}
	want.Findings = []Finding{{"red", "a\nb\x00c"}}
	want.Marks = []string{"shared"}
	want.Tools = []Tool{{Name: "cargo", Path: "/usr/bin/cargo", Version: "1.2"}}
	want.Products = []Product{{Path: "t/a", SHA256: "ab", BuildID: "cd", Bytes: 7, Built: want.Started, Lane: "kda"}}
	s := st.open()
	st.record(s, want)
	st.close(s)
	s = st.open(func(o *Options) { o.ReadOnly = true })
	got, err := s.Find(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	want.UID = s.uid
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	courses, err := s.Course(t.Context(), Query{Gate: "adjoint"}, "", 0)
	if err != nil || len(courses) != len(want.Metrics) {
		t.Fatalf("%d courses, %v", len(courses), err)
	}
	for _, m := range want.Metrics {
		i := slices.IndexFunc(courses, func(c Course) bool { return c.Series == want.Series(m) })
		p := courses[i].Points[0]
		if !same(p.Low, m.Low) || !same(p.High, m.High) || (p.Last == nil) != (m.Last == nil) || p.Last != nil && !same(*p.Last, *m.Last) || p.Count != m.Count || p.First != m.First {
			t.Errorf("%+v of %+v", p, m)
		}
	}
	if len(st.notes) > 0 {
		t.Errorf("%q", st.notes)
	}
}

func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// What is no number has no place among numbers, and takes no result with it.
func TestNotFinite(t *testing.T) {
	st := newStage(t)
	s := st.open()
	n := 0
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, m := range []Metric{{Metric: "m", Low: v}, {Metric: "m", High: v}, {Metric: "m", Last: &v}} {
			n++
			r := result(fmt.Sprint("r", n))
			r.Metrics = append(r.Metrics, m)
			r.Seconds, r.Stall = v, &Stall{IOFull: &Extent{Mean: v, Peak: 0.5}}
			before := len(r.Metrics) - 1
			st.record(s, r)
			got, err := s.Find(t.Context(), r.Run)
			if err != nil || len(got.Metrics) != before || got.Seconds != 0 || got.Stall.IOFull.Mean != 0 || got.Stall.IOFull.Peak != 0.5 {
				t.Errorf("%v: %+v, %v", v, got, err)
			}
		}
	}
	if ids := st.runs(s, Query{}); len(ids) != n {
		t.Errorf("%q", ids)
	}
	none := `{"type":"verdict","run":"r","gate":"g","outcome":"green","metrics":[{"metric":"m","series":[{"count":1,"low":null,"high":1},{"labels":"n=1","count":1,"low":2,"high":3}]}]}`
	if r, err := FromVerdict([]byte(none)); err != nil || len(r.Metrics) != 1 || r.Metrics[0].Low != 2 || r.Metrics[0].High != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Whatever holds a number that is none becomes JSON all the same.
func TestMarshal(t *testing.T) {
	inf := math.Inf(1)
	v := struct {
		Map   map[string]any `json:"map"`
		List  []float64      `json:"list"`
		Other *float64       `json:"other,omitempty"`
		When  time.Time      `json:"when"`
		Near  float64        `json:"near"`
	}{map[string]any{"a": math.NaN(), "b": "x"}, []float64{1, inf}, &inf, time.Unix(1, 5).UTC(), 5e-324}
	got, err := Marshal(&v)
	want := `{"map":{"a":null,"b":"x"},"list":[1,null],"other":null,"when":"1970-01-01T00:00:01.000000005Z","near":5e-324}`
	if string(got) != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function became JSON")
	}
}

// Numbers of two series are never in one course, whatever of them differs.
func TestSeries(t *testing.T) {
	st := newStage(t)
	s := st.open()
	base := result("base")
	base.Metrics = base.Metrics[:1]
	changes := map[string]func(*Result){
		"gate":    func(r *Result) { r.Gate = "other" },
		"metric":  func(r *Result) { r.Metrics[0].Metric = "mean-rel" },
		"labels":  func(r *Result) { r.Metrics[0].Labels = "term=d_k" },
		"unit":    func(r *Result) { r.Metrics[0].Unit = "s" },
		"backend": func(r *Result) { r.Backend = "" },
		"card":    func(r *Result) { r.Card = "B200" },
		"profile": func(r *Result) { r.Profile = "release" },
	}
	st.record(s, base)
	for name, change := range changes {
		r := base
		r.Run, r.Metrics = name, slices.Clone(base.Metrics)
		change(&r)
		st.record(s, r)
	}
	seen := make(map[Series]string)
	for _, gate := range []string{"adjoint", "other"} {
		list, err := s.Course(t.Context(), Query{Gate: gate}, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if len(c.Points) != 1 || seen[c.Series] != "" {
				t.Errorf("%+v", c)
			}
			seen[c.Series] = c.Points[0].Run
			greens, err := s.Greens(t.Context(), c.Series, Query{})
			if err != nil || len(greens) != 1 || greens[0].Run != c.Points[0].Run {
				t.Errorf("greens of %+v: %+v, %v", c.Series, greens, err)
			}
		}
	}
	if len(seen) != len(changes)+1 {
		t.Errorf("%d series of %d: %v", len(seen), len(changes)+1, seen)
	}
	if list, err := s.Greens(t.Context(), Series{Gate: "adjoint", Metric: "none"}, Query{}); err != nil || list != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// Every condition of a query, against the same asked in Go.
func TestQuery(t *testing.T) {
	st := newStage(t)
	s := st.open()
	var all []Result
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 500 { // more than two pages
		r := result(fmt.Sprintf("r%03d", i))
		r.Started = began.Add(time.Duration(i/2) * time.Hour) // two at a time
		r.Gate = []string{"a", "b", "c"}[i%3]
		r.Lane = []string{"one", "two"}[i%2]
		r.Branch = []string{"main", "topic"}[i/7%2]
		r.Outcome = []string{"green", "red", "broken", "known red"}[i/3%4]
		r.Partial = i%11 == 0
		r.Changes = strings.Repeat("x", i%5/4)
		r.Metrics = r.Metrics[:i%3]
		all = append(all, r)
	}
	st.record(s, all...)
	for _, q := range []Query{{}, {Partial: true}, {Gate: "a"}, {Lane: "two"}, {Branch: "topic"}, {Gate: "b", Lane: "one", Limit: 7}, {Limit: 200}, {Limit: 201, Partial: true},
		{Outcomes: []string{"red", "broken"}}, {Since: began.Add(50 * time.Hour)}, {Until: began.Add(50 * time.Hour)}, {Gate: "c", Since: began.Add(20 * time.Hour), Until: began.Add(100 * time.Hour), Partial: true}, {Gate: "none"}} {
		var want []string
		counts := make(map[string]int)
		for _, r := range slices.Backward(all) {
			if q.wants(r) {
				counts[r.Outcome]++
				if q.Limit == 0 || len(want) < q.Limit {
					want = append(want, r.Run)
				}
			}
		}
		if diff := cmp.Diff(want, st.runs(s, q)); diff != "" {
			t.Errorf("%+v: %s", q, diff)
		}
		if got, err := s.Count(t.Context(), q); err != nil || !maps.Equal(got, counts) {
			t.Errorf("%+v: %v of %v, %v", q, got, counts, err)
		}
	}
	checkLatest(t, s, all)
	checkCourses(t, s, all)
}

// wants says whether the query asks for a result.
func (q Query) wants(r Result) bool {
	return (q.Gate == "" || q.Gate == r.Gate) && (q.Lane == "" || q.Lane == r.Lane) && (q.Branch == "" || q.Branch == r.Branch) &&
		(len(q.Outcomes) == 0 || slices.Contains(q.Outcomes, r.Outcome)) && (q.Partial || !r.Partial) &&
		!r.Started.Before(q.Since) && (q.Until.IsZero() || r.Started.Before(q.Until))
}

func checkLatest(t *testing.T, s *Store, all []Result) {
	want := make(map[string]string)
	for _, r := range all {
		if !r.Partial {
			want[r.Lane+" "+r.Gate] = r.Run
		}
	}
	list, err := s.Latest(t.Context())
	if err != nil || len(list) != len(want) {
		t.Fatalf("%d of %d, %v", len(list), len(want), err)
	}
	for _, r := range list {
		if want[r.Lane+" "+r.Gate] != r.Run {
			t.Errorf("%s %s: %s, not %s", r.Lane, r.Gate, r.Run, want[r.Lane+" "+r.Gate])
		}
	}
}

func checkCourses(t *testing.T, s *Store, all []Result) {
	q := Query{Gate: "b", Lane: "two", Limit: 20, Since: all[100].Started}
	list, err := s.Course(t.Context(), q, "worst-rel", 0)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d, %v", len(list), err)
	}
	var want, greens []string
	for _, r := range slices.Backward(all) {
		if q.wants(r) && len(r.Metrics) > 0 {
			want = append(want, r.Run)
			if r.Outcome == "green" && r.Changes == "" {
				greens = append(greens, r.Run)
			}
		}
	}
	want = want[:20]
	slices.Reverse(want)
	if diff := cmp.Diff(want, pointRuns(list[0].Points)); diff != "" {
		t.Error(diff)
	}
	q.Limit = 0
	got, err := s.Greens(t.Context(), list[0].Series, q)
	if diff := cmp.Diff(greens, pointRuns(got)); err != nil || diff != "" || len(greens) < 5 {
		t.Error(err, diff)
	}
	if few, err := s.Course(t.Context(), Query{Gate: "c"}, "", 1); err != nil || len(few) != 1 {
		t.Errorf("%d courses of at most 1, %v", len(few), err)
	}
}

func pointRuns(list []Point) (ids []string) {
	for _, p := range list {
		ids = append(ids, p.Run)
	}
	return ids
}

// A run is one result; amending it replaces it, and its numbers.
func TestAmend(t *testing.T) {
	st := newStage(t)
	s := st.open()
	r := result("r")
	st.record(s, r)
	r.Outcome = "red"
	st.record(s, r)
	if got, _ := s.Find(t.Context(), "r"); got.Outcome != "green" {
		t.Errorf("a second result replaced the first: %s", got.Outcome)
	}
	for range 2 {
		if err := s.Amend(t.Context(), "r", func(r *Result) {
			r.Outcome, r.Run, r.Marks = "broken", "another", append(r.Marks, "left")
			r.Metrics = r.Metrics[1:]
		}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Find(t.Context(), "r")
	if err != nil || got.Outcome != "broken" || len(got.Marks) != 2 || got.Revision != 2 || len(got.Metrics) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if list, err := s.Course(t.Context(), Query{Gate: "adjoint"}, "", 0); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.Amend(t.Context(), "none", func(*Result) {}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	if _, err := s.Find(t.Context(), "none"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

// Numbers that a caller gives in two pieces are one point of their series.
func TestMerged(t *testing.T) {
	st := newStage(t)
	s := st.open()
	r, one, two := result("r"), 1.0, 2.0
	r.Metrics = []Metric{{Metric: "m", Count: 2, Low: 1, High: 4, Last: &one}, {Metric: "m", Unit: "s", Count: 1}, {Metric: "m", Count: 3, Low: 0.5, High: 2, Last: &two, First: true}}
	st.record(s, r)
	got, err := s.Find(t.Context(), "r")
	want := []Metric{{Metric: "m", Count: 5, Low: 0.5, High: 4, Last: &two, First: true}, {Metric: "m", Unit: "s", Count: 1}}
	if diff := cmp.Diff(want, got.Metrics); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// Two sweeps that saw one process end it count once, also where one of them did
// not write down the boot.
func TestKills(t *testing.T) {
	st := newStage(t)
	s := st.open()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, k := range []Kill{{Boot: "b1", PID: 7, Start: 9}, {Boot: "b1", PID: 7, Start: 9}, {PID: 7, Start: 9}, {Boot: "b2", PID: 7, Start: 9, Lane: "kda"}, {PID: 8, Start: 9}, {Boot: "b1", PID: 8, Start: 9}} {
		k.Time = at.Add(time.Duration(i) * time.Second)
		if err := s.RecordKill(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Kills(t.Context(), Query{})
	if err != nil || len(got) != 3 || got[0].PID != 8 || got[1].Boot != "b2" || got[2].Boot != "b1" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := s.Kills(t.Context(), Query{Lane: "kda", Limit: 5, Since: at}); err != nil || len(got) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := s.RecordKill(t.Context(), Kill{}); err == nil {
		t.Error("a kill of nothing was kept")
	}
}
