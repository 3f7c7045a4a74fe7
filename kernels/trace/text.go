package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Page is how a report is laid out for people. The zero value fits a terminal.
type Page struct {
	Width   int  // in columns; 0 is 80
	Kernels int  // of each stage; 0 is 8 of the one that costs most and 3 of others
	Brief   bool // no kernels, and three findings a process
}

func (g Page) width() int { return max(60, cmp.Or(g.Width, 80)) }

// Text writes a report for people: what ran, the stages and their kernels by launches x
// price, and what stands out.
func (r Report) Text(w io.Writer, g Page) error {
	b := bufio.NewWriter(w)
	r.Run.text(b, g)
	for _, note := range r.Notes {
		fmt.Fprint(b, wrapped(note, "note: ", "  ", g.width()))
	}
	for i := range r.Processes {
		if i > 0 || r.Run != nil {
			fmt.Fprintln(b)
		}
		r.Processes[i].text(b, g)
	}
	r.byCard(b, g)
	return b.Flush()
}

// text is what was run, and how it ended.
func (m *Meta) text(w io.Writer, g Page) {
	if m == nil {
		return
	}
	fmt.Fprintln(w, fit(strings.Join(m.Command, " "), g.width()))
	facts := []string{m.Began.Local().Format(time.DateTime)}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, name+value)
		}
	}
	add("lane ", m.Lane)
	add("commit ", m.Commit[:min(len(m.Commit), 12)])
	add("on ", m.Host)
	switch {
	case m.Ended.IsZero():
		facts = append(facts, "its end was not seen")
	case m.Signal != "":
		facts = append(facts, "ended by "+m.Signal+" after "+short(m.Ended.Sub(m.Began)))
	default:
		facts = append(facts, fmt.Sprintf("exit status %d after %s", m.Code, short(m.Ended.Sub(m.Began))))
	}
	fmt.Fprint(w, wrapped(strings.Join(facts, ", "), "  ", "  ", g.width()))
}

func (p *ProcessReport) text(w io.Writer, g Page) {
	fmt.Fprint(w, wrapped(p.title(), "", "  ", g.width()))
	if !p.counted() {
		p.findings(w, g)
		return
	}
	fmt.Fprint(w, wrapped(p.totals(), "  ", "  ", g.width()))
	p.byCard(w, g)
	ranked := p.ranked()
	if len(ranked) > 0 {
		fmt.Fprintln(w)
		stageTable(w, ranked, g)
		fmt.Fprint(w, wrapped(p.legend(ranked), "  ", "  ", g.width()))
	}
	p.devices(w, ranked, g)
	if !g.Brief {
		p.kernels(w, ranked, g)
		p.graphs(w, g)
		p.unlaunched(w, g)
		p.captured(w, g)
		p.unreleased(w, g)
	}
	p.findings(w, g)
}

func (p *ProcessReport) title() string {
	facts := []string{fmt.Sprintf("pid %d", p.PID)}
	if p.Driver > 0 {
		facts = append(facts, fmt.Sprintf("CUDA %d.%d of the driver", p.Driver/1000, p.Driver%1000/10))
	}
	if p.CUPTI > 0 {
		facts = append(facts, "CUPTI "+versionOf(p.CUPTI))
	}
	if p.Threads > 1 {
		facts = append(facts, fmt.Sprintf("%s, %d of them %s", many(int64(p.Threads), "thread"), p.Launcher, launching(p.Launcher)))
	}
	var cards []string
	for _, c := range p.Cards {
		cards = append(cards, fmt.Sprintf("%s (card %d)", c.Name, c.Index))
	}
	on := ""
	if len(cards) > 0 {
		on = " on " + listed(cards)
	}
	return fmt.Sprintf("%s%s: %s", p.name(), on, strings.Join(facts, ", "))
}

func (p *ProcessReport) name() string {
	if p.State == Unreadable {
		return cmp.Or(p.Command, "(a process that cannot be read)")
	}
	return cmp.Or(p.Command, "(a process without a name)")
}

func launching(n int) string {
	if n == 1 {
		return "launches"
	}
	return "launch"
}

// versionOf reads CUPTI's: 130001 is 13.0.1; before 13 it was a number of its own.
func versionOf(n int) string {
	if n < 10000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100)
}

// totals are the counts of the whole process.
func (p *ProcessReport) totals() string {
	n := func(q Quantity) int64 { return p.Whole[q] }
	parts := []string{many(n(Launches), "launch")}
	if p.one {
		parts[0] = "the whole process: " + parts[0]
	}
	add := func(q Quantity, text string) {
		if n(q) > 0 {
			parts = append(parts, text)
		}
	}
	add(GraphLaunches, fmt.Sprintf("%s with %s", many(n(GraphLaunches), "graph launch"), many(n(GraphKernels), "kernel")))
	add(Captures, fmt.Sprintf("%d captured", n(Captures)))
	add(Copies, fmt.Sprintf("%s of %s", copies(n(Copies)), size(n(CopiedHtoD)+n(CopiedDtoH)+n(CopiedDtoD)+n(CopiedUnified)+n(CopiedOther))))
	add(Sets, many(n(Sets), "memset"))
	add(Syncs, many(n(Syncs), "synchronising call"))
	add(Allocs, fmt.Sprintf("%s of %s, %s at one time at most", many(n(Allocs), "allocation"), size(n(AllocBytes)), size(n(HighMark))))
	if bytes, never := p.keptBytes(); never && !p.one { // else it is that of the stage
		parts = append(parts, size(bytes)+" never released")
	}
	add(HostNS, short(time.Duration(n(HostNS)))+" in these calls")
	return strings.Join(parts, ", ")
}

func copies(n int64) string {
	if n == 1 {
		return "1 copy"
	}
	return fmt.Sprintf("%d copies", n)
}

// tax is what a stage's launches cost, of all its warm steps.
func (s *StageReport) tax() time.Duration { return s.Price.Predicted.Median * time.Duration(s.Warm()) }

// ranked are the stages, those whose launches cost most first.
func (p *ProcessReport) ranked() []*StageReport {
	var list []*StageReport
	for i := range p.Stages {
		list = append(list, &p.Stages[i])
	}
	slices.SortStableFunc(list, func(a, b *StageReport) int {
		return cmp.Or(cmp.Compare(b.tax(), a.tax()), cmp.Compare(b.Total[Launches], a.Total[Launches]))
	})
	return list
}

// findings says what stands out.
func (p *ProcessReport) findings(w io.Writer, g Page) {
	most := 12
	if g.Brief {
		most = 3
	}
	if len(p.Findings) == 0 {
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "what stands out")
	for _, f := range p.Findings[:min(len(p.Findings), most)] {
		fmt.Fprint(w, wrapped(f.Text, "- ", "  ", g.width()))
	}
	if n := len(p.Findings) - most; n > 0 {
		fmt.Fprintf(w, "  and %d more, with --json\n", n)
	}
}
