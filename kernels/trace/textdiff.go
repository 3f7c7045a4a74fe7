package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
)

// Text writes a difference for people: what changed, and what did not in one line.
func (d Difference) Text(w io.Writer, g Page) error {
	b := bufio.NewWriter(w)
	for _, s := range []struct {
		name string
		side Side
	}{{"A", d.A}, {"B", d.B}} {
		fmt.Fprint(b, wrapped(s.side.text(), s.name+"  ", "   ", g.width()))
		for _, missing := range s.side.Missing {
			fmt.Fprint(b, wrapped(missing+": its calls are in no count", "note: in "+s.name+": ", "   ", g.width()))
		}
	}
	switch {
	case d.Same && d.Stage != "":
		fmt.Fprintln(b, "all counts of the stage are the same")
	case d.Same:
		fmt.Fprintln(b, "all counts are the same")
	}
	for i := range d.Processes {
		d.Processes[i].text(b, g)
	}
	return b.Flush()
}

func (s Side) text() string {
	parts := []string{s.Dir}
	if s.Lane != "" {
		parts = append(parts, "lane "+s.Lane)
	}
	if s.Commit != "" {
		parts = append(parts, "commit "+s.Commit[:min(len(s.Commit), 12)])
	}
	if len(s.Command) > 0 {
		parts = append(parts, fit(strings.Join(s.Command, " "), 100))
	}
	return strings.Join(parts, ", ")
}

func (p *ProcessDifference) text(w io.Writer, g Page) {
	name := cmp.Or(p.Command, "(a process without a name)")
	fmt.Fprintln(w)
	switch {
	case p.Only != Both:
		fmt.Fprintf(w, "%s: only in %s\n", name, p.Only.name())
		return
	case p.neither:
		fmt.Fprintf(w, "%s: counted in neither\n", name)
		return
	case p.Refused != Both:
		fmt.Fprintf(w, "%s: %s was not counted\n", name, p.Refused.name())
		return
	}
	fmt.Fprintln(w, name)
	for i, n := range [2]int64{p.UnsureA, p.UnsureB} {
		if n > 0 {
			fmt.Fprint(w, wrapped(fmt.Sprintf("kernels in graphs are not exact in %c: of %s it is not known how many nodes ran", 'A'+i, many(n, "graph launch")), "  ", "    ", g.width()))
		}
	}
	for i := range p.Stages {
		p.Stages[i].text(w, g)
	}
}

func (o Only) name() string { return strings.ToUpper(string(o)) }

func (d *StageDifference) text(w io.Writer, g Page) {
	label := d.label
	if d.Only != Both {
		fmt.Fprintf(w, "  %s: only in %s\n", label, d.Only.name())
		d.blur(w, g)
		return
	}
	steps := ", " + many(int64(d.StepsA), "warm step")
	if d.StepsA != d.StepsB {
		steps = fmt.Sprintf(", %d warm steps in A, %d in B", d.StepsA, d.StepsB)
	}
	if d.once {
		steps = ""
	}
	if d.same() {
		fmt.Fprintf(w, "  %s%s: all counts are the same\n", label, steps)
	} else if d.unsure() {
		fmt.Fprintf(w, "  %s%s%s:\n", label, steps, d.of("; a step"))
	} else {
		fmt.Fprintf(w, "  %s%s; exact%s:\n", label, steps, d.of(", a step"))
	}
	d.blur(w, g)
	d.counts(w)
	d.kernels(w, g)
	for _, k := range d.Kept {
		fmt.Fprint(w, wrapped(fmt.Sprintf("never released, of %s: %s in A, %s in B", k.Call, keptText(k.NA, k.BytesA), keptText(k.NB, k.BytesB)), "    ", "      ", g.width()))
	}
	d.times(w, g)
}

// blur says where counts may be of what is beside.
func (d *StageDifference) blur(w io.Writer, g Page) {
	for _, s := range []struct {
		name string
		n    int
	}{{"A", d.BlurA}, {"B", d.BlurB}} {
		if s.n > 0 && !d.same() {
			what := "its counts may be those of the steps beside it"
			if !d.once {
				what = many(int64(s.n), "warm step") + " cannot be told apart, and the least and most may be of two"
			}
			fmt.Fprint(w, wrapped(fmt.Sprintf("not exact in %s: %s; a line that ends a step was read late, or was kept back: take an NVTX range (--range), or trace it again", s.name, what), "    ", "      ", g.width()))
		}
	}
}

// of gives a word that only steps have.
func (d *StageDifference) of(step string) string {
	if d.once {
		return ""
	}
	return step
}

func (d *StageDifference) counts(w io.Writer) {
	if len(d.Counts) == 0 {
		return
	}
	rows := []row{{"    ", "A", "B", ""}}
	for _, c := range d.Counts {
		change := ""
		if c.A.Same() && c.B.Same() {
			change = signed(c.Quantity, c.B.Low-c.A.Low)
		}
		if c.Quantity == Launches && d.price.N > 0 && change != "" {
			change += fmt.Sprintf(", x %s = %s%s", short(d.price.Median), plus(time.Duration(c.B.Low-c.A.Low)*d.price.Median), d.of(" a step"))
		}
		rows = append(rows, row{"    " + c.Quantity.label(), ranged(c.Quantity, c.A), ranged(c.Quantity, c.B), change})
	}
	table(w, rows, "lrrl")
}

func keptText(n, bytes int64) string {
	if n == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%s, %s together,", many(n, "allocation"), size(bytes))
}

func signed(q Quantity, n int64) string {
	if n < 0 {
		return "-" + value(q, -n)
	}
	return "+" + value(q, n)
}

func plus(d time.Duration) string {
	if d > 0 {
		return "+" + short(d)
	}
	return short(d)
}

func (d *StageDifference) kernels(w io.Writer, g Page) {
	most := cmp.Or(g.Kernels, 12)
	if len(d.Kernels) == 0 {
		return
	}
	rows := []row{{"    A", "B", "", "launches of kernels" + d.of(", a step")}}
	var names []called
	for _, k := range d.Kernels[:min(len(d.Kernels), most)] {
		names = append(names, called{k.Name, k.Symbol})
	}
	for i, name := range fitApart(names, func(int) int { return g.width() - 32 }) {
		k := d.Kernels[i]
		rows = append(rows, row{perStep(k.A, d.StepsA), perStep(k.B, d.StepsB), k.word(), name})
	}
	table(w, rows, "rrll")
	if n := len(d.Kernels) - most; n > 0 {
		fmt.Fprintf(w, "    and %d more\n", n)
	}
}

func (k KernelChange) word() string {
	switch {
	case k.Only == OnlyA:
		return "gone"
	case k.Only == OnlyB:
		return "new"
	case k.Reshaped:
		return "other shapes"
	}
	return "changed"
}

// verdict is what two spreads tell, and what they do not.
func (t TimeChange) verdict(once bool) string {
	switch {
	case t.Few && t.What == "step" && once:
		return "one time each: no spread to judge by"
	case t.Few && once && t.ofCard():
		return "one time each: no spread to judge by"
	case t.Few && (t.What == "step" || t.ofCard()):
		return fmt.Sprintf("too few steps to tell, %d of %d", min(t.A.N, t.B.N), Least)
	case t.Few:
		return fmt.Sprintf("too few launches to tell, %d of %d", min(t.A.N, t.B.N), LeastLaunches)
	case t.Differs:
		return "differs, by the medians " + plus(t.B.Median-t.A.Median)
	}
	return "the spreads meet"
}

func (d *StageDifference) times(w io.Writer, g Page) {
	names := map[string]string{"step": "a step took, on the host", "price": "price of a launch", "in-call": "of it in the call", "device": "busy on the card, a step"}
	if d.once {
		names["step"] = "it took, on the host"
	}
	for _, t := range d.Times {
		verdict := t.verdict(d.once)
		text := fmt.Sprintf("%s: %s in A, %s in B: %s", cmp.Or(names[t.What], t.What), between(t.A), between(t.B), verdict)
		fmt.Fprint(w, wrapped(text, "    ", "      ", g.width()))
	}
}
