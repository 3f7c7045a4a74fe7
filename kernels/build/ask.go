package build

import (
	"fmt"
	"slices"
	"strings"
)

// macro is what a #define says.
type macro struct {
	name   string
	params []string
	called bool // it is defined with parentheses
	body   string
}

// macroOf reads a directive that defines a macro.
func macroOf(directive string) (m macro, ok bool) {
	word, rest := leadingWord(directive)
	if word != "define" {
		return m, false
	}
	rest = strings.TrimLeft(rest, " \t")
	n := len(rest) - len(strings.TrimLeft(rest, identifier))
	m.name, m.body = rest[:n], rest[n:]
	if list, body, closed := strings.Cut(m.body, ")"); closed && strings.HasPrefix(list, "(") {
		m.called, m.body = true, body
		for p := range strings.SplitSeq(list[1:], ",") {
			m.params = append(m.params, strings.TrimSpace(p))
		}
	}
	m.body = strings.TrimSpace(m.body)
	return m, m.name != ""
}

// identifier are the letters of one.
const identifier = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// asking is whether a name is one of the preprocessor's own that asks for a file, or of
// the macros that do.
func asking(name string, known map[string]bool) bool {
	return name == "__has_include" || name == "__has_include_next" || name == "__has_embed" || known[name]
}

// asks is whether the macro asks for what it is given, by itself or by one that is known
// to: it hands a parameter on, or is another name for one.
func (m macro) asks(known map[string]bool) bool {
	if asking(m.body, known) {
		return true
	}
	for name, argument := range calls(m.body) {
		if m.called && asking(name, known) && slices.ContainsFunc(identifiers(argument, true), func(w string) bool { return slices.Contains(m.params, w) || w == "__VA_ARGS__" }) {
			return true
		}
	}
	return false
}

// blindly is whether a text asks by one of these macros for a name that only the
// preprocessor knows.
func blindly(text string, params []string, known map[string]bool) bool {
	for name, argument := range calls(text) {
		if known[name] && slices.ContainsFunc(identifiers(argument, false), func(w string) bool { return !slices.Contains(params, w) }) {
			return true
		}
	}
	return false
}

// calls yields each name that stands before a parenthesis, with what is in there.
func calls(text string) func(yield func(name, argument string) bool) {
	return func(yield func(name, argument string) bool) {
		for i := 0; i < len(text); {
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], identifier))
			if n == 0 {
				i++
				continue
			}
			name, rest := text[i:i+n], strings.TrimLeft(text[i+n:], " \t")
			if i += n; !strings.HasPrefix(rest, "(") {
				continue
			}
			depth, end := 0, len(rest)
			for k := range len(rest) {
				if rest[k] == '(' {
					depth++
				} else if rest[k] == ')' {
					if depth--; depth == 0 {
						end = k
						break
					}
				}
			}
			if !yield(name, rest[1:end]) {
				return
			}
		}
	}
}

// identifiers are those in an argument. In a name that is spelt out, as "a.h" or <a.h>,
// there are none, unless it is made of parameters, which stand within <>.
func identifiers(argument string, within bool) (all []string) {
	argument = strings.TrimSpace(argument)
	if strings.HasPrefix(argument, `"`) || strings.HasPrefix(argument, "<") && !within {
		return nil
	}
	for _, w := range strings.FieldsFunc(argument, func(r rune) bool { return !strings.ContainsRune(identifier, r) }) {
		if w[0] < '0' || w[0] > '9' {
			all = append(all, w)
		}
	}
	return all
}

// asks says where one of the files that were read asks for a file through a macro, by a
// name that only the preprocessor knows; "" where none does. Few have such macros at
// all, and only then the others are looked through for their use.
func (t *tree) asks(deps []string, options *orders) string {
	known, all := map[string]bool{}, options.macros()
	some := slices.ContainsFunc(all, func(m macro) bool { return m.asks(nil) })
	for _, dep := range deps {
		f, err := t.file(dep, true)
		some = some || err == nil && f.Scanned.Asks
	}
	if !some {
		return ""
	}
	type line struct {
		where, text string
		params      []string
	}
	var lines []line
	for _, dep := range deps {
		text, err := ReadFile(t.absolute(dep), maxSource)
		if err != nil {
			return err.Error()
		}
		for no, d := range directives(text) {
			where := fmt.Sprintf("%s, line %d", dep, no)
			if m, ok := macroOf(d); ok {
				all = append(all, m)
				lines = append(lines, line{where, m.body, m.params})
			} else if word, rest := leadingWord(d); word == "if" || word == "elif" {
				lines = append(lines, line{where, rest, nil})
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			if !known[m.name] && m.asks(known) {
				known[m.name], grown = true, true
			}
		}
	}
	for _, l := range lines {
		if blindly(l.text, l.params, known) {
			return l.where + ": __has_include, through a macro, of a name that a macro makes"
		}
	}
	return ""
}

// macros are those that the options define.
func (t *orders) macros() (all []macro) {
	for _, list := range [][]string{t.words, t.host} {
		for i, w := range list {
			name, v, _ := value(list, i)
			if short, ok := strings.CutPrefix(w, "-D"); ok && short != "" {
				name, v = "-D", short
			}
			if name != "-D" && name != "--define-macro" {
				continue
			}
			if m, ok := macroOf("define " + strings.Replace(v, "=", " ", 1)); ok {
				all = append(all, m)
			}
		}
	}
	return all
}
