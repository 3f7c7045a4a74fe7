package ptx

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"gpuci/kernels/entry"
)

// label gives a label the place in which it comes.
func (h *hasher) label(t token) token {
	if t.text[0] != '$' && !strings.HasPrefix(t.text, "__local_depot") {
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

// variable hashes one up to its semicolon. The path of a source, which assert has as a
// text, is none of it.
func (h *hasher) variable(first token) {
	list := append(h.list[:0], first)
	var value []byte
	name, inside := "", false
	for t := h.next(); t.text != "" && !t.is(";"); t = h.next() {
		n, isNumber := 0, false
		if t.text[0] >= '0' && t.text[0] <= '9' {
			n, isNumber = number(t.text)
		}
		switch {
		case t.is("{"):
			inside = true
		case inside && isNumber && n < 256 && len(value) < longestPath:
			value = append(value, byte(n))
		case !inside && name == "" && t.word() && !strings.HasPrefix(t.text, ".") && !isNumber:
			name = t.text
		}
		list = append(list, t)
	}
	if strings.HasPrefix(name, "$str") && entry.SourcePath(string(value)) {
		return
	}
	h.list = list
	for _, t := range list {
		if strings.HasPrefix(t.text, "$str") {
			t.text = "$str"
		}
		h.add(h.data, t)
	}
}

const longestPath = 4 << 10 // PATH_MAX

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
