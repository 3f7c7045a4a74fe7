package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// devices says what the cards did in the stages, and how well that is known.
func (p *ProcessReport) devices(w io.Writer, ranked []*StageReport, g Page) {
	if p.Device == nil {
		if p.Timed.Asked {
			fmt.Fprint(w, wrapped(fmt.Sprintf("no times of the card: %s", cmp.Or(p.Timed.Why, "CUPTI was not asked")), "  ", "  ", g.width()))
		}
		return
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "on the card, a step")
	most := 3
	if g.Brief {
		most = 1
	}
	for _, s := range ranked[:min(len(ranked), most)] {
		for i := range s.Device {
			if s.Device[i].Busy.High == 0 && s.Device[i].Share.N == 0 {
				continue
			}
			fmt.Fprint(w, wrapped(s.deviceText(&s.Device[i], len(s.Device) > 1), "  ", "    ", g.width()))
		}
	}
	fmt.Fprint(w, wrapped(p.deviceLegend(), "  ", "  ", g.width()))
}

// deviceText is one stage on one card.
func (s *StageReport) deviceText(d *StageDevice, several bool) string {
	text := s.Label()
	if several {
		text += fmt.Sprintf(", card %d", d.Card)
	}
	text += fmt.Sprintf(": busy %s", between(d.Busy))
	var of []string
	if d.Kernels.High > 0 {
		of = append(of, "kernels "+short(d.Kernels.Median))
	}
	if d.Copies.High > 0 {
		of = append(of, "copies and sets "+short(d.Copies.Median))
	}
	if d.Overlap.High > 0 {
		of = append(of, short(d.Overlap.Median)+" of both at once")
	}
	if len(of) > 0 {
		text += " (" + strings.Join(of, ", ") + ")"
	}
	if d.Share.N > 0 {
		text += fmt.Sprintf("; idle %s of the step, %s..%s in eight of ten", percent(d.Share.Median), percent(d.Share.Low), percent(d.Share.High))
	}
	if d.Late.High > 0 {
		text += fmt.Sprintf("; %s of its work is done behind its end on the host", between(d.Late))
	}
	if top := byDevice(s.Kernels); len(top) > 1 && !several {
		var list []string
		for _, k := range top[:min(len(top), 3)] {
			list = append(list, fmt.Sprintf("%s %s", fit(k.Name, 40), k.onCard(s.Warm())))
		}
		text += "; most by " + strings.Join(list, ", ")
	}
	if s.Untimed > 0 {
		text += fmt.Sprintf("; %s no time", have(s.Untimed, "call"))
	}
	return text + "."
}

func have(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return many(n, noun) + " have"
}

// deviceLegend says what these are, and what is not in them.
func (p *ProcessReport) deviceLegend() string {
	d := p.Device
	text := fmt.Sprintf("Busy is of the work that a step asked for, idle is of the time that it took on the host. %s of work; host and card stand on one clock within %s", pieces(d.Work), short(max(d.Clock.Within, d.Early)))
	if d.Clock.Pairs == 0 {
		text = strings.Replace(text, " within 0 ns", "", 1) + ", which was not held against the host's"
	}
	text += ", beside what CUPTI's reading of the card's counter errs."
	if slices.ContainsFunc(p.Graphs, func(g GraphRuns) bool { return g.Device != nil }) {
		text += " A graph is one piece, from its first node to its last: what is idle within is not seen."
	}
	var less []string
	add := func(n int64, text string) {
		if n > 0 {
			less = append(less, fmt.Sprintf("%d %s", n, text))
		}
	}
	add(int64(d.Dropped), "were dropped by CUPTI")
	add(int64(d.Unwritten), "could not be written")
	add(d.NoTimes, "came without times")
	add(d.Open, "had not ended when the program did")
	add(d.Untied, "belong to no call that was seen")
	if len(less) > 0 {
		text += " Of the records " + strings.Join(less, ", ") + "."
	}
	if d.Untimed > 0 {
		text += fmt.Sprintf(" %s no time: figures are too small by these", have(d.Untimed, "call"))
		if !p.Clean {
			text += "; the program was ended, and what was not on disk by then is lost, half a second's or a buffer's"
		}
		text += "."
	}
	if d.Twice > 0 {
		text += fmt.Sprintf(" Work came so far out of order that busy may be too long, by %s in all steps together.", short(d.Twice))
	}
	if d.Why != "" {
		text += " " + strings.ToUpper(d.Why[:1]) + d.Why[1:] + "."
	}
	return text
}

func pieces(n int64) string {
	if n == 1 {
		return "1 piece"
	}
	return fmt.Sprintf("%d pieces", n)
}

// onCard is a kernel's time of the card, of a warm step.
func (k *KernelReport) onCard(steps int) string {
	if k.Device == nil || steps < 1 {
		return "-"
	}
	return short(k.Device.Total / time.Duration(steps))
}
