package trace

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// NewReport counts each process of a recording. Of what Counting leaves open the run's own
// settings hold, which are read from the recording when meta is nil. What is asked for and
// is not there is let be and said: see [Report.Unmet].
func NewReport(ctx context.Context, r Recording, meta *Meta, how Counting) (Report, error) {
	var err error
	if meta == nil {
		if meta, err = ReadMeta(r.Dir); err != nil {
			return Report{}, err
		}
	}
	report, err := countedBy(ctx, r, meta, how)
	var none *NoRange
	if err != nil || !errors.As(report.lacking, &none) {
		return report.told(how), err
	}
	without := Meta{}
	if meta != nil {
		without = *meta
	}
	without.Range = ""
	again, err := countedBy(ctx, r, &without, Counting{Lines: how.Lines, Warm: how.Warm})
	again.Run, again.lacking = meta, none
	return again.told(how), err
}

// countedBy counts, and finds out what is not there.
func countedBy(ctx context.Context, r Recording, meta *Meta, how Counting) (Report, error) {
	how, err := meta.counting(r.Dir, how)
	if err != nil {
		return Report{}, err
	}
	how.run = meta
	report := Report{Type: "trace-report", Dir: r.Dir, Run: meta}
	if meta != nil && meta.Pattern != "" && how.Range == "" && how.Lines == nil {
		report.Notes = append(report.Notes, fmt.Sprintf("no line of its output fits --step %q: its steps are not known by lines", meta.Pattern))
	}
	r.Processes = slices.Clone(r.Processes)
	for i := range r.Processes {
		report.Processes = append(report.Processes, r.Processes[i].reported(ctx, how))
	}
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	report.Missing = r.missing()
	for _, text := range report.Missing {
		report.Notes = append(report.Notes, text+": the counts are short of its own")
	}
	report.lacking = report.lacks(how)
	return report, nil
}

// reported counts one process. One that cannot be read to its end is left out as a whole, for
// a part of it is no count, and says so.
func (p *Process) reported(ctx context.Context, how Counting) ProcessReport {
	if p.counted() {
		s, err := p.Count(ctx, how)
		if err == nil {
			return reportOf(&s, how)
		}
		p.State, p.Why = Unreadable, err.Error()
	}
	one := ProcessReport{Process: *p}
	one.Findings = findings(&one)
	return one
}

// told notes what is not there; it is the caller's where the run's own settings do not say so.
func (r Report) told(how Counting) Report {
	switch e := r.lacking.(type) {
	case *NoRange:
		r.Notes = append(r.Notes, e.Error()+"; the steps are counted without it")
		if how.Range != "" {
			r.unmet = e
		}
	case *FewSteps:
		r.Notes = append(r.Notes, e.Error()+"; none is set apart")
		if how.Warm > 0 {
			r.unmet = e
		}
	}
	return r
}
