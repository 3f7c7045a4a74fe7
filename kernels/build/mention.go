package build

import "strings"

// mentions are the names in a directive. blind is whether it asks with
// __has_include for a name that only the preprocessor knows, makes whether it
// includes one.
func mentions(directive string) (found []mention, blind, makes bool) {
	word, rest := leadingWord(directive)
	switch word {
	case "include", "include_next", "import", "embed":
		m, ok := literal(rest)
		if m.next = word == "include_next"; ok {
			found = append(found, m)
		}
		makes = !ok
	case "if", "elif":
		// A macro may wrap __has_include, so every name that stands as an
		// argument counts.
		found, blind = asked(rest, nil)
		found = append(found, arguments(rest)...)
	case "define":
		_, rest = leadingWord(rest)
		var params []string
		if after, ok := strings.CutPrefix(rest, "("); ok {
			list, body, _ := strings.Cut(after, ")")
			for p := range strings.SplitSeq(list, ",") {
				params = append(params, strings.TrimSpace(p))
			}
			rest = body
		}
		found, blind = asked(rest, params)
		if m, ok := literal(rest); ok {
			found = append(found, m) // what an #include of the macro would find
		}
	}
	return found, blind, makes
}

// asked are the names in the text's calls of __has_include and its kin. One of a
// macro's parameters is named by whoever uses the macro.
func asked(text string, params []string) (found []mention, blind bool) {
	for {
		at := strings.Index(text, "__has_")
		if at < 0 {
			return found, blind
		}
		word, rest := leadingWord(text[at:])
		text = rest
		if word != "__has_include" && word != "__has_include_next" && word != "__has_embed" {
			continue
		}
		argument, ok := strings.CutPrefix(strings.TrimSpace(rest), "(")
		if !ok {
			continue // defined(__has_include), or a bare word
		}
		if m, ok := literal(argument); ok {
			m.next = word == "__has_include_next"
			found = append(found, m)
			continue
		}
		name, _ := leadingWord(argument)
		isParam := false
		for _, p := range params {
			isParam = isParam || name == p && p != ""
		}
		blind = blind || name != "" && !isParam
	}
}

// arguments are the names that stand between parentheses, whatever is called.
func arguments(text string) []mention {
	var found []mention
	for {
		_, rest, ok := strings.Cut(text, "(")
		if !ok {
			return found
		}
		if m, ok := literal(rest); ok && !strings.ContainsAny(m.name, " &|(") {
			found = append(found, m)
		}
		text = rest
	}
}

// literal is the name that the text begins with, as "a.h" or <a.h>.
func literal(text string) (mention, bool) {
	text = strings.TrimLeft(text, " \t")
	for strings.HasPrefix(text, "/*") {
		_, after, _ := strings.Cut(text, "*/")
		text = strings.TrimLeft(after, " \t")
	}
	end := map[bool]string{true: `"`, false: ">"}[strings.HasPrefix(text, `"`)]
	if text == "" || text[0] != '"' && text[0] != '<' {
		return mention{}, false
	}
	name, _, ok := strings.Cut(text[1:], end)
	return mention{name: name, quoted: end == `"`}, ok
}

// leadingWord parts an identifier from what follows, blanks aside.
func leadingWord(text string) (word, rest string) {
	text = strings.TrimLeft(text, " \t")
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] >= '0' && text[n] <= '9' || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return text[:n], strings.TrimRight(text[n:], " \t\r")
}
