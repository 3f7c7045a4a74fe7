package pressure

import (
	"slices"
	"strings"
	"testing"
)

// TestDiagnose walks through machines as they were seen.
func TestDiagnose(t *testing.T) {
	known := func(v float64) Share { return Share{v / 100, true} }
	span := func(full, some, memory, cpu float64) Span {
		return Span{IO: Shares{known(some), known(full)}, Memory: Shares{known(memory), known(memory)}, CPU: Shares{known(cpu), known(0)}}
	}
	crowd := []Waiter{{"dd", "outside any lane", 1, false}, {"ld.mold", "lane kda-adjoint", 17, true}}
	full := &Memory{Total: 100 << 30, Available: 50 << 30, Dirty: 20 << 30}
	for name, c := range map[string]struct {
		s      Span
		r      Reading
		m      *Memory
		inD    []Waiter
		want   []Cause
		text   string
		advice string
	}{
		"the incident":                 {span(86, 97, 0, 0), Reading{}, nil, crowd, []Cause{DiskSaturated}, "disk-saturated: io full 86%, memory full 0%, cpu some 0%; waiting for it: 17 ld.mold (lane kda-adjoint), 1 dd (outside any lane)", "gpuci build"},
		"the same, somebody computes":  {span(16.5, 100, 0, 41), Reading{}, nil, crowd, []Cause{DiskSaturated}, "io full 16%, some 100%", "gpuci build"},
		"one reads, somebody computes": {span(5, 90, 0, 41), Reading{}, nil, crowd[:1], []Cause{Quiet}, "quiet: io full 5%, some 90%", ""},
		"a writer":                     {span(90, 90, 0, 0), Reading{}, nil, crowd[:1], []Cause{DiskSaturated}, "1 dd (outside any lane)", "pressure wait"},
		"what a writer left":           {span(90, 90, 0, 0), Reading{}, full, nil, []Cause{DiskSaturated}, "no process is seen waiting for it", "20.0 GiB wait in memory to be written"},
		"reclaim":                      {Span{IO: Shares{known(0), known(0)}, Memory: Shares{known(50), known(0)}, CPU: Shares{known(0), known(0)}}, Reading{}, nil, nil, []Cause{MemoryThrash}, "memory full 0%, some 50%", "uses the memory"},
		"writers, and no link":         {span(90, 90, 0, 0), Reading{}, nil, []Waiter{{"dd", "outside any lane", 9, false}}, []Cause{DiskSaturated}, "9 dd", "whose dd is"},
		"thrash":                       {span(40, 60, 25, 10), Reading{}, full, nil, []Cause{MemoryThrash, DiskSaturated}, "memory thrash and disk-saturated: ", "uses the memory"},
		"processors":                   {span(0, 0, 0, 80), Reading{}, nil, nil, []Cause{CPUBound}, "CPU-bound: ", "fewer jobs"},
		"nothing":                      {span(1, 2, 0, 10), Reading{}, nil, nil, []Cause{Quiet}, "quiet: ", ""},
		"just over":                    {span(1, 2, 0, 10), Reading{IO: Resource{Full: &Level{Avg10: 70}}}, nil, nil, []Cause{Quiet}, "io full was 70% over the last 10 s", ""},
		"no PSI":                       {Span{}, Read("/nonexistent"), nil, nil, []Cause{Unknown}, "no such directory", "psi=1"},
		"only the processors known":    {Span{CPU: Shares{Some: known(80)}}, Reading{}, nil, nil, []Cause{CPUBound}, "io full unknown", "fewer jobs"},
		"the disk unknown":             {Span{CPU: Shares{Some: known(1)}, Memory: Shares{Full: known(0)}}, Read("/nonexistent"), nil, nil, []Cause{Unknown}, "unknown: io full unknown", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := Diagnose(c.s, c.r, c.m, c.inD)
			if !slices.Equal(d.Causes, c.want) || d.Cause != c.want[0] || !strings.Contains(d.Text, c.text) {
				t.Errorf("%v: %s", d.Causes, d.Text)
			}
			if (c.advice == "") != (d.Next == "") || !strings.Contains(d.Next, c.advice) {
				t.Errorf("advice %q, want %q", d.Next, c.advice)
			}
		})
	}
}

func TestDiagnoseNamesFew(t *testing.T) {
	var list []Waiter
	for _, n := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, Waiter{n, "lane x", 2, false})
	}
	d := Diagnose(Span{IO: Shares{Full: Share{0.9, true}}}, Reading{}, nil, list)
	if !strings.HasSuffix(d.Text, "2 a (lane x), 2 b (lane x), 2 c (lane x), 4 others") {
		t.Error(d.Text)
	}
}
