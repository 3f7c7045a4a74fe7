package trace

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strings"
)

// LinesAB is the output of two runs, line by line: the first with the first. A line more in
// one shifts all that come behind it. Which of the differences matter it does not say: a
// time is another in each run.
type LinesAB struct {
	A       int64      `json:"a"` // lines
	B       int64      `json:"b"`
	Differ  int64      `json:"differ"`  // as far as both go
	Numbers int64      `json:"numbers"` // of these: all but their numbers is the same
	First   []LinePair `json:"first,omitempty"`
	Cut     bool       `json:"cut,omitempty"` // there was more than was held
}

// LinePair is a line that is another in each.
type LinePair struct {
	Line int64  `json:"line"` // from 1
	A    string `json:"a"`
	B    string `json:"b"`
}

// Same says that no line differs.
func (l LinesAB) Same() bool { return l.Differ == 0 && l.A == l.B }

const (
	pairsMax = 5   // that are shown
	lineMax  = 400 // bytes of one that are shown
)

// numbersIn are the numbers of a line: with a point, an exponent, in sixteens.
var numbersIn = regexp.MustCompile(`[-+]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|nan\b|inf\b)`)

// CompareLines reads both to their ends.
func CompareLines(a, b io.Reader) (l LinesAB, err error) {
	one, other := bufio.NewReader(a), bufio.NewReader(b)
	for {
		x, errA := one.ReadString('\n')
		y, errB := other.ReadString('\n')
		if err := errors.Join(notEnd(errA), notEnd(errB)); err != nil {
			return l, err
		}
		if x != "" {
			l.A++
		}
		if y != "" {
			l.B++
		}
		if x != "" && y != "" {
			l.pair(strings.TrimSuffix(x, "\n"), strings.TrimSuffix(y, "\n"))
		}
		if errA != nil && errB != nil {
			return l, nil
		}
	}
}

func notEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (l *LinesAB) pair(x, y string) {
	if x == y {
		return
	}
	l.Differ++
	if numbersIn.ReplaceAllString(x, "#") == numbersIn.ReplaceAllString(y, "#") {
		l.Numbers++
	}
	if len(l.First) < pairsMax {
		l.First = append(l.First, LinePair{l.A, shown(x), shown(y)})
	}
}

// shown is as much of a line as is kept.
func shown(s string) string { return text([]byte(s[:min(len(s), lineMax)])) }
