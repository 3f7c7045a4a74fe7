package pressure

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rule says when work is held back before it begins, and for how long.
//
// It is held back while IO full was over Long in the last ten seconds and is
// over Short now, because of somebody else, and is not falling fast; it goes on
// below Resume. DefaultRule is a good one; the zero value lets everything begin
// at once, and marks it under any pressure at all.
type Rule struct {
	Long    float64       // percent of the last ten seconds
	Short   float64       // percent of the last second or two
	Resume  float64       // percent
	MinFree int64         // bytes of memory that must be available; 0 asks for none
	Budget  time.Duration // how long one build may be held back, all its links together
	Refuse  bool          // where the pressure cannot be told: refuse, and do not go on
	Off     bool          // look at nothing
	OffBy   string        // what switched it off, for people: --no-pressure, GPUCI_PRESSURE=off; not among the words of String
	Root    string        // of pressure files, "" is Real: a container can have the host's elsewhere, and a test its own
}

// DefaultRule is what holds where nobody says anything else. One link on a slow
// disk shows 67 to 93 % of IO full by itself; a machine at work stays under 30.
func DefaultRule() Rule {
	return Rule{Long: 40, Short: 60, Resume: 25, Budget: 5 * time.Minute}
}

// off is a Rule in words that holds nothing back.
const off = "off"

// String is the rule as ParseRule reads it: "long=40 short=60 resume=25
// min-free=0 budget=5m0s unknown=mark", or "off".
func (r Rule) String() string {
	if r.Off {
		return off
	}
	unknown := "mark"
	if r.Refuse {
		unknown = "refuse"
	}
	text := fmt.Sprintf("long=%g short=%g resume=%g min-free=%d budget=%s unknown=%s", r.Long, r.Short, r.Resume, r.MinFree, r.Budget, unknown)
	if r.Root != "" {
		text += root + r.Root
	}
	return text
}

// root comes last in a rule's words, as a path may have blanks in it.
const root = " root="

// ParseRule reads a rule from words KEY=VALUE. What is not said is as in
// DefaultRule; a key it does not know is an error, since a limit that nobody
// keeps is worse than none.
func ParseRule(text string) (Rule, error) {
	r := DefaultRule()
	if strings.TrimSpace(text) == off {
		return Rule{Off: true}, nil
	}
	if text, dir, ok := strings.Cut(" "+text, root); ok {
		if !strings.HasPrefix(dir, "/") {
			return Rule{}, fmt.Errorf("read rule of pressure: root=%s: it is no absolute path", dir)
		}
		r, err := ParseRule(text)
		r.Root = dir
		return r, err
	}
	resume := r.Resume
	r.Resume = -1 // not said
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		if err := r.set(key, value); err != nil {
			return Rule{}, fmt.Errorf("read rule of pressure: %s: %w", word, err)
		}
	}
	if r.Resume < 0 {
		r.Resume = min(resume, r.Long, r.Short)
	}
	if most := min(r.Long, r.Short); r.Resume > most {
		return Rule{}, fmt.Errorf("read rule of pressure: resume=%g: work would go on at that, but be held back over %g: resume is at most the lower one of long and short", r.Resume, most)
	}
	return r, nil
}

// parseBytes reads a number of bytes, or a size such as 28GiB.
func parseBytes(text string) (int64, error) {
	for unit, name := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if number, ok := strings.CutSuffix(text, name); ok {
			v, err := strconv.ParseFloat(number, 64)
			if v *= math.Pow(1024, float64(unit+1)); err != nil || !(v >= 0 && v < math.MaxInt64) {
				break
			}
			return int64(v), nil
		}
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is no size such as 28GiB", text)
	}
	return v, nil
}

func (r *Rule) set(key, value string) (err error) {
	switch key {
	case "long":
		r.Long, err = percent([]byte(value))
	case "short":
		r.Short, err = percent([]byte(value))
	case "resume":
		r.Resume, err = percent([]byte(value))
	case "min-free":
		r.MinFree, err = parseBytes(value)
	case "budget":
		if r.Budget, err = time.ParseDuration(value); err != nil {
			err = fmt.Errorf("%q is no duration such as 5m or 90s", value)
		}
	case "unknown":
		r.Refuse = value == "refuse"
		if value != "refuse" && value != "mark" {
			err = fmt.Errorf("%q is neither mark nor refuse", value)
		}
	default:
		err = fmt.Errorf("there is no %q; there are long, short, resume, min-free, budget, unknown and root", key)
	}
	if err == nil && (r.MinFree < 0 || r.Budget < 0) {
		err = fmt.Errorf("%s is below zero", value)
	}
	return err
}
