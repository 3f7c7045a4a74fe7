package trace

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// short is a time for people, in three digits.
func short(d time.Duration) string {
	if d < 0 {
		return "-" + short(-d)
	}
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "us"}} {
		if d >= unit.of {
			return threeDigits(float64(d)/float64(unit.of)) + " " + unit.name
		}
	}
	return fmt.Sprintf("%d ns", int64(d))
}

func threeDigits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// size is a number of bytes for people, exact where it is small or round.
func size(n int64) string {
	if n < 0 {
		return "-" + size(-n)
	}
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		of := int64(1) << (30 - 10*i)
		switch {
		case n >= of && n%of == 0:
			return fmt.Sprintf("%d %s", n/of, unit)
		case n >= of:
			return threeDigits(float64(n)/float64(of)) + " " + unit
		}
	}
	return fmt.Sprintf("%d B", n)
}

// percent is a share.
func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// many is a number with its noun.
func many(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// perStep is how many a step has of what so many steps have: whole where it is.
func perStep(n int64, steps int) string {
	if steps < 1 {
		return "0"
	}
	if n%int64(steps) == 0 {
		return fmt.Sprint(n / int64(steps))
	}
	return threeDigits(float64(n) / float64(steps))
}

// value is a number of a quantity for people.
func value(q Quantity, n int64) string {
	switch {
	case q == HostNS:
		return short(time.Duration(n))
	case q.bytes():
		return size(n)
	}
	return fmt.Sprint(n)
}

// ranged is what every step has, or from where to where with the median.
func ranged(q Quantity, e Each) string {
	text := value(q, e.Low)
	switch {
	case e.Same():
		return text
	case text == value(q, e.High): // three digits do not tell them apart
		return fmt.Sprintf("%s and up to %s more", text, value(q, e.High-e.Low))
	}
	return fmt.Sprintf("%s..%s (median %s)", text, value(q, e.High), value(q, e.Median))
}

// between is a spread for people.
func between(s Spread) string {
	if s.N < 2 || s.Low == s.High {
		return short(s.Median)
	}
	return fmt.Sprintf("%s (%s..%s)", short(s.Median), short(s.Low), short(s.High))
}

// listed joins a few of a list.
func listed(list []string) string {
	const most = 12
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// fit cuts a text to a width, out of its midst: the end of a kernel's name tells as much
// as its beginning.
func fit(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n <= width || width < 5 {
		return text
	}
	r := []rune(text)
	head := (width - 1) * 2 / 3
	return string(r[:head]) + "…" + string(r[n-(width-1-head):])
}

// shape is a kernel's grid and block for people.
func shape(grid, block [3]int, shared int) string {
	text := extent(grid) + " x " + extent(block)
	if shared > 0 {
		text += " + " + size(int64(shared))
	}
	return text
}

func extent(e [3]int) string {
	switch {
	case e[2] > 1:
		return fmt.Sprintf("(%d,%d,%d)", e[0], e[1], e[2])
	case e[1] > 1:
		return fmt.Sprintf("(%d,%d)", e[0], e[1])
	}
	return fmt.Sprint(e[0])
}

// wrapped breaks a text into lines of a width, the later ones indented.
func wrapped(text, first, later string, width int) string {
	var b strings.Builder
	line := first
	room := max(width, 40)
	for i, word := range strings.Fields(text) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			b.WriteString(line + "\n")
			line = later + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
	return b.String()
}
