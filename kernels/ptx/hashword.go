package ptx

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// label gives a label the place in which it comes, and a text of the source what it says:
// both are numbered by what stands before them.
func (h *hasher) label(t token) token {
	if t.text[0] != '$' && !strings.HasPrefix(t.text, "__local_depot") {
		return t
	}
	if said := h.texts[t.text]; said != "" {
		t.text = said
		return t
	}
	at, known := h.labels[t.text]
	if !known {
		at = len(h.labels)
		h.labels[t.text] = at
	}
	t.text = "$" + strconv.Itoa(at)
	return t
}

const (
	numberedText = "$str"         // what the name of a text of the source begins with
	asserts      = "__assertfail" // the function that tells of an assertion
	longestText  = 4 << 10        // bytes: PATH_MAX
)

// variable hashes one up to its semicolon; a text of the source by what it says, so that
// it is named in what comes. Where something asserts, what is the path of a source counts
// by its last name alone: assert has that path as a text.
func (h *hasher) variable(first token) {
	list := append(h.list[:0], first)
	var value []byte
	name, inside, text := "", false, true
	for t := h.next(); t.text != "" && !t.is(";"); t = h.next() {
		n, isNumber := 0, false
		if t.text[0] >= '0' && t.text[0] <= '9' {
			n, isNumber = number(t.text)
		}
		switch {
		case t.is("{"):
			inside = true
		case inside && isNumber && n < 256:
			value = append(value, byte(n))
		case !inside && name == "" && t.word() && !strings.HasPrefix(t.text, ".") && !isNumber:
			name = t.text
		case inside && !t.is(",") && !t.is("}"):
			text = false // a number that is no byte, or the name of something
		}
		list = append(list, t)
	}
	h.list = list
	if strings.HasPrefix(name, numberedText) && inside && text {
		h.said(name, value)
		return
	}
	for _, t := range list {
		h.add(h.data, h.textOf(t))
	}
}

// said notes what a text says, and hashes that.
func (h *hasher) said(name string, value []byte) {
	if h.paths && len(value) <= longestText {
		value = []byte(entry.Text(string(value)))
	}
	sum := sha256.Sum256(value)
	h.texts[name] = numberedText + " " + string(sum[:])
	h.add(h.data, token{text: h.texts[name]})
}

// textOf gives a text of the source, which a variable points to, what it says.
func (h *hasher) textOf(t token) token {
	if said := h.texts[t.text]; said != "" {
		t.text = said
	}
	return t
}

// add hashes a word, with its end.
func (h *hasher) add(sum hash.Hash, t token) {
	h.word = appendWord(h.word[:0], t)
	_, _ = sum.Write(h.word)
}

// appendWord adds a word as it is hashed. Only long ones have a path in them.
func appendWord(to []byte, t token) []byte {
	const shortest = len("1_INTERNAL_")
	word := t.text
	if len(word) >= shortest {
		word = entry.Canonical(word)
	}
	return append(append(to, word...), 0)
}

// mayName says whether a word can be the name of a function, by its first letter.
func mayName(word string) bool {
	c := word[0] | 0x20
	return c >= 'a' && c <= 'z' || word[0] == '_' || word[0] == '$'
}

// short is half of a SHA-256: nobody is to find two alike, they are only not to be so
// by chance.
func (h *hasher) short(sum hash.Hash) string {
	h.word = sum.Sum(h.word[:0])
	h.word = hex.AppendEncode(h.word, h.word[:16])
	return string(h.word[sha256.Size:])
}
