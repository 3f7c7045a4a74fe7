package plot

import (
	"fmt"
	"strings"
	"time"
)

// stallOf is the mean of a curve by time, and its peak: its highest level, the
// first of several, and a brief one only if there is no other.
func stallOf(ls []level) (mean float64, peak level, known bool) {
	var sum, wide float64
	for _, l := range ls {
		sum += l.value * (l.to - l.from)
		wide += l.to - l.from
		if !known || peak.brief && !l.brief || l.value > peak.value && peak.brief == l.brief {
			peak, known = l, true
		}
	}
	if !known {
		return 0, level{}, false
	}
	return min(1, sum/wide), peak, true
}

// inWords says what the main curve shows.
func inWords(steps []step, f frame) string {
	main := allSeries()[0]
	ls := levelsOf(steps, main.share)
	mean, peak, known := stallOf(ls)
	if !known {
		return main.name + ": unknown"
	}
	at := f.time(peak.from - plotLeft)
	text := fmt.Sprintf("%s: mean %s, peak %s at %s (%s)", main.name,
		percentOf(mean), percentOf(peak.value), lasting(at), f.clock(f.from.Add(at)))
	var wide float64
	for _, l := range ls {
		wide += l.to - l.from
	}
	// The second before a timeline's first point is not worth a word.
	if wide < 0.98*plotWidth && f.time(plotWidth-wide) > 2*time.Second {
		text += fmt.Sprintf("; known for %s of %s", lasting(f.time(wide)), lasting(f.length))
	}
	return text
}

// phasesInWords lists the phases: in a README nobody can point at a bar that
// is too short for its label.
func phasesInWords(bars []Bar, f frame) string {
	var texts []string
	for _, b := range placed(bars, f, Phase) {
		texts = append(texts, clean(b.Label)+" "+b.length())
	}
	return strings.Join(texts, " · ")
}

// length says how long a bar is.
func (b Bar) length() string {
	switch {
	case b.To.IsZero():
		return "(not ended)"
	case b.From.IsZero():
		return "(start unknown)"
	}
	return lasting(max(0, b.To.Sub(b.From)))
}

// percentOf writes a share of time. Below 10 % a tenth still tells.
func percentOf(share float64) string {
	switch v := 100 * share; {
	case v > 0 && v < 0.05:
		return "under 0.1 %"
	case v > 0 && v < 9.95:
		return fmt.Sprintf("%.1f %%", v)
	default:
		return fmt.Sprintf("%.0f %%", v)
	}
}

// lasting writes a duration as short as it can be read: 340ms, 3.4s, 1m05s, 2h05m.
func lasting(d time.Duration) string {
	switch {
	case d < time.Millisecond/2:
		return "0s"
	case d < 995*time.Millisecond:
		return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
	case d < 59950*time.Millisecond:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + "s"
	case d < time.Hour-time.Second/2:
		return inTwo(d.Round(time.Second), time.Minute, "m", time.Second, "s")
	case d < 48*time.Hour:
		return inTwo(d.Round(time.Minute), time.Hour, "h", time.Minute, "m")
	}
	return inTwo(d.Truncate(time.Hour), 24*time.Hour, "d", time.Hour, "h")
}

// inTwo writes a duration in two units, or in one where that is all of it.
func inTwo(d, large time.Duration, l string, small time.Duration, s string) string {
	text := fmt.Sprintf("%d%s", d/large, l)
	if rest := d % large / small; rest > 0 {
		text += fmt.Sprintf("%02d%s", rest, s)
	}
	return text
}
