package lint

import (
	"strings"
)

// pyWords reads the words of pytest behind those that its configuration and the gate's
// environment put before them.
func (u *unit) pyWords(dir string, words []string) (pyChoice, error) {
	c, err := readPytest(words)
	if err != nil {
		return c, err
	}
	before := pyConfig(dir, c.config).options
	if more := u.gate.Env["PYTEST_ADDOPTS"]; more != "" {
		before = append(before, optionWords(more)...)
	}
	if len(before) == 0 {
		return c, nil
	}
	return readPytest(append(before, words...))
}

// optionWords are the words of a setting: a string that is split as a shell does it, or a
// list of TOML.
func optionWords(text string) (words []string) {
	text = strings.TrimSpace(text)
	list := strings.HasPrefix(text, "[")
	if text = strings.Trim(text, "[]"); !list && len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		text = strings.Trim(text, text[:1])
	}
	var word strings.Builder
	quote, begun := rune(0), false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case strings.ContainsRune(" \t\r\n", r) || list && r == ',':
			end()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	end()
	return words
}
