package simt

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// GCC's instrumentation looks at assignments only. A call that is given a structure out
// of memory, or puts one there, reads and writes without a word. checkFlags leave few
// calls; those that remain are found in what GCC says of its last form of the source
// (-fdump-tree-optimized-lineno), and refused.

var (
	dumpPlace    = regexp.MustCompile(`\[([^\[\]\s]+):(\d+):\d+(?: discrim \d+)?\] `)
	dumpFunction = regexp.MustCompile(`^;; Function (.*?) \(`)
	dumpLocal    = regexp.MustCompile(`^  (?:static )?[^=()]*?\b([\w.]+)(?: ?\[[\d :]+\])*;$`)
	dumpCall     = regexp.MustCompile(`^  (?:(.*\S) = )?([\w.:~<>]+|operator[^ ]*) \((.*)\);(?: \[.*\])?$`)
	dumpHead     = regexp.MustCompile(`^[^ ;{}].*\((.*)\)$`)
	dumpBase     = regexp.MustCompile(`^(?:MEM[^&]*&)?\(*([A-Za-z_]\w*(?:\.\d+)*)`)
	dumpValue    = regexp.MustCompile(`^(?:-?[\d.]+(?:e[+-]?\d+)?|-?Inf|-?Nan|&.*|".*"|[\w.<>]*_\d+(?:\(D\))?|\(.*\) *&?\w+|0B)$`)
)

// refuseUnseen is an error where the dump of a unit has such calls.
func (u unit) refuseUnseen(dump string) error {
	text, err := os.ReadFile(dump)
	if err != nil {
		return fmt.Errorf("read what GCC says of %s: %w", u.name, err)
	}
	list := unseen(string(text))
	if len(list) == 0 {
		return nil
	}
	return &CompileError{
		Source: u.name, Err: errors.New("GCC does not tell what these calls read and write, and check has to look at it"),
		Output: strings.Join(list, "\n") + "\nsimt: give it to a variable of the thread before, or take what is returned into one, or set CXX to clang++",
	}
}

// unseen are lines "FILE:LINE: WHAT" of the calls in a dump that touch memory by
// themselves.
func unseen(dump string) []string {
	var list []string
	known := map[string]bool{}
	own := map[string]bool{} // the variables and parameters of the function
	for line := range strings.Lines(dump) {
		line = strings.TrimRight(line, "\n")
		place := ""
		if m := dumpPlace.FindStringSubmatch(line); m != nil {
			place = m[1] + ":" + m[2]
		}
		line = dumpPlace.ReplaceAllString(line, "")
		switch {
		case dumpFunction.MatchString(line):
			clear(own)
		case dumpHead.MatchString(line):
			for _, p := range strings.Split(dumpHead.FindStringSubmatch(line)[1], ",") {
				words := strings.Fields(p)
				if len(words) > 0 {
					own[words[len(words)-1]] = true
				}
			}
		case dumpLocal.MatchString(line) && !strings.Contains(line, " = "):
			if !strings.HasPrefix(line, "  static ") {
				own[dumpLocal.FindStringSubmatch(line)[1]] = true
			}
		default:
			m := dumpCall.FindStringSubmatch(line)
			if m == nil || strings.HasPrefix(m[2], "__builtin___tsan") || strings.HasPrefix(m[2], ".") { // of the latter none is a call in the end
				continue
			}
			for _, operand := range append(operands(m[3]), m[1]) {
				if operand != "" && !quiet(operand, own) && !known[place+operand] {
					known[place+operand] = true
					list = append(list, fmt.Sprintf("%s: the call of %s with %s", place, m[2], operand))
				}
			}
		}
	}
	return list
}

// quiet says whether an operand is a value, an address, or of the function's own stack.
func quiet(operand string, own map[string]bool) bool {
	if dumpValue.MatchString(operand) {
		return true
	}
	m := dumpBase.FindStringSubmatch(operand)
	return m != nil && own[m[1]]
}

// operands splits a list at the commas that are in no brackets.
func operands(list string) []string {
	var all []string
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, strings.TrimSpace(list[from:i]))
				from = i + 1
			}
		}
	}
	return append(all, strings.TrimSpace(list[from:]))
}
