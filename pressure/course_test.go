package pressure

import (
	"errors"
	"testing"
	"time"
)

// scene is a machine as a course sees it: averages and stall follow what is
// said of each stretch of time, in percent.
type scene struct {
	at    time.Time
	avg10 float64
	total time.Duration
}

// advance lets d go by with IO full at a level; the average follows as the
// kernel's does, every 2 s by a factor of e^(-2/10).
func (s *scene) advance(d time.Duration, level float64) {
	const tick, keep = 2 * time.Second, 0.8187
	for left := d; left > 0; left -= tick {
		step := min(left, tick)
		s.total += time.Duration(float64(step) * level / 100)
		s.at = s.at.Add(step)
		if step == tick {
			s.avg10 = s.avg10*keep + level*(1-keep)
		}
	}
}

func (s *scene) look(o Others) look {
	return look{at: s.at, avg10: s.avg10, total: s.total, free: -1, others: o}
}

// follow runs a course for at most d and says how it ended and what it took.
func (s *scene) follow(r Rule, d time.Duration, level float64, others func(n int) Others) (verdict, time.Duration) {
	c := course{rule: r}
	began := s.at
	for n := 0; ; n++ {
		v := c.next(s.look(others(n)))
		if v == begin || s.at.Sub(began) >= d {
			return v, s.at.Sub(began)
		}
		p := c.pause()
		s.total += time.Duration(float64(p) * level / 100)
		s.at = s.at.Add(p)
		if s.at.Sub(began)/(2*time.Second) > s.at.Add(-p).Sub(began)/(2*time.Second) {
			s.avg10 = s.avg10*0.8187 + level*0.1813
		}
	}
}

func always(o Others) func(int) Others { return func(int) Others { return o } }

var writer = Others{Count: 1, Text: "dd (pid 991)"}

func TestCourse(t *testing.T) {
	rule := DefaultRule()
	flat := func(level float64) Rule { r := rule; r.Long, r.Short, r.Resume = level, level, level/2; return r }
	for name, c := range map[string]struct {
		rule   Rule
		before float64 // level for a minute before
		during float64
		others func(int) Others
		want   verdict
		most   time.Duration // that it may take to say begin
	}{
		"quiet":                         {rule, 0, 0, always(writer), begin, 0},
		"under the long limit":          {rule, 38, 90, always(writer), begin, 0},
		"a writer beside us":            {rule, 95, 95, always(writer), holding, 0},
		"a writer that cannot be seen":  {rule, 95, 95, always(Others{Err: errors.New("hidepid")}), holding, 0},
		"our own stall":                 {rule, 90, 90, always(Others{}), begin, 2 * firstPause},
		"somebody in D for a moment":    {rule, 90, 90, func(n int) Others { return Others{Count: btoi(n == 0)} }, begin, 2 * firstPause},
		"over, and over now by little":  {rule, 50, 50, always(writer), begin, time.Second},
		"a stall that has just ended":   {rule, 95, 0, always(writer), begin, 3 * time.Second},
		"field case 3, 63.64 % for us":  {rule, 63.64, 63.64, always(writer), holding, 0},
		"field case 4, 45 % constantly": {flat(40), 45, 45, always(writer), holding, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := scene{at: time.Unix(1e9, 0)}
			s.advance(time.Minute, c.before)
			got, took := s.follow(c.rule, 10*time.Minute, c.during, c.others)
			if got != c.want || got == begin && took > c.most {
				t.Errorf("verdict %d after %s, want %d in %s", got, took, c.want, c.most)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// What is held back goes on soon after the stall is over, and not before: below
// the lower limit, and not at once below the upper one.
func TestCourseResumes(t *testing.T) {
	for _, c := range []struct {
		level float64
		want  verdict
	}{{0, begin}, {10, begin}, {35, holding}, {50, holding}} {
		s, cs := scene{at: time.Unix(1e9, 0)}, course{rule: DefaultRule()}
		s.advance(time.Minute, 95)
		var v verdict
		step := func(d time.Duration, level float64) {
			for range int(d / holdPause) {
				s.total += time.Duration(float64(holdPause) * level / 100)
				s.at = s.at.Add(holdPause)
				s.avg10 = s.avg10*0.951 + level*0.049 // 0.8187 in 2 s
				if v = cs.next(s.look(writer)); v == begin {
					return
				}
			}
		}
		step(20*time.Second, 95)
		if v != holding {
			t.Fatalf("verdict %d under 95 %%", v)
		}
		if step(6*time.Second, c.level); v != c.want {
			t.Errorf("at %.0f %%: verdict %d, want %d", c.level, v, c.want)
		}
	}
}

// Numbers that do not move: what is measured and what the average says
// disagree, and the average is believed, as it does not fall.
func TestCourseFrozen(t *testing.T) {
	s, c := scene{at: time.Unix(1e9, 0), avg10: 63.64}, course{rule: DefaultRule()}
	var seen []verdict
	for range 20 {
		seen = append(seen, c.next(s.look(writer)))
		s.at = s.at.Add(c.pause())
	}
	if last := seen[len(seen)-1]; last != holding || seen[0] != measuring {
		t.Errorf("verdicts %v", seen)
	}
}

func TestCourseMemory(t *testing.T) {
	rule := DefaultRule()
	rule.MinFree = 1000 << 20
	c, s := course{rule: rule}, scene{at: time.Unix(1e9, 0)}
	for _, x := range []struct {
		mib  int64
		want verdict
	}{{1000, begin}, {999, holding}, {1020, holding}, {1050, begin}, {1020, begin}, {-1, begin}} {
		l := s.look(Others{})
		if l.free = x.mib << 20; x.mib < 0 {
			l.free = -1
		}
		if got := c.next(l); got != x.want {
			t.Errorf("%d MiB: verdict %d, want %d", x.mib, got, x.want)
		}
	}
	if !(rule.MinFree > 0) || c.held() {
		t.Error("still held")
	}
}
