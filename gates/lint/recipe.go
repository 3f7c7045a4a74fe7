package lint

import "strings"

// logical is a line with those that a backslash joins to it.
func logical(text string, at int) (line string, next int) {
	end := at
	for {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text[at:], len(text)
		}
		end += i + 1
		if i == 0 || text[end-2] != '\\' {
			return text[at : end-1], end
		}
	}
}

// readRecipe makes a recipe a text that a shell's parser can read, and keeps every
// byte in its place: $$ becomes " $", $(MAKE) "make   ", any other variable a word.
func readRecipe(line string, at int) *recipe {
	r := &recipe{}
	i := 0
	for i < len(line) && strings.IndexByte("\t @+-", line[i]) >= 0 {
		r.dash = r.dash || line[i] == '-'
		i++
	}
	r.at = at + i
	text := []byte(line[i:])
	if len(strings.TrimSpace(string(text))) == 0 || text[0] == '#' {
		return nil
	}
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '\n' && text[i+1] == '\t':
			text[i+1] = ' '
		case text[i] != '$':
		case text[i+1] == '$':
			text[i] = ' '
			i++
		default:
			end := makeVariable(text, i)
			plain := strings.Repeat("v", end-i)
			if name := string(text[i+1 : end]); name == "(MAKE)" || name == "{MAKE}" {
				plain = "make   "
			}
			copy(text[i:end], plain)
			i = end - 1
		}
	}
	r.text = string(text)
	return r
}

// makeVariable is the end of $(x), ${x} or $x.
func makeVariable(text []byte, at int) int {
	open := text[at+1]
	shut := map[byte]byte{'(': ')', '{': '}'}[open]
	if shut == 0 {
		return at + 2
	}
	depth := 0
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// lines are the scripts that a rule runs: one for each line, or, with .ONESHELL, one of
// all. That one is as long as what stands in the file, too.
func (r *rule) lines(one bool) []recipe {
	if !one || len(r.recipes) < 2 {
		return r.recipes
	}
	first, last := r.recipes[0], r.recipes[len(r.recipes)-1]
	text := []byte(strings.Repeat(" ", last.at+len(last.text)-first.at))
	for i, line := range r.recipes {
		copy(text[line.at-first.at:], line.text)
		if i > 0 {
			text[line.at-first.at-1] = '\n'
		}
	}
	return []recipe{{at: first.at, text: string(text), dash: first.dash}}
}
