package gates

import (
	"bytes"
	"cmp"
	"slices"
)

// finder looks for a text in a lot of output. bytes.Index looks for the first
// byte, which in a log is a common one ("worst rel": w, o, r); a rare byte is
// found with vector instructions in few places. Which byte is rare differs from
// log to log, so the finder learns: one that came too often is not used again.
// It is not safe for concurrent use.
type finder struct {
	text []byte
	rare []int // indexes into text, the byte to look for first
}

// common orders the bytes of logs by how often they come, the commonest first;
// what is not in it is rarer still.
const common = " e0t1a.sonir2dl3=-c54um_:p6/78b9gfhy,()[]wvkx"

func newFinder(text []byte) *finder {
	f := &finder{text: text}
	rank := func(i int) int {
		if r := bytes.IndexByte([]byte(common), text[i]); r >= 0 {
			return r
		}
		return len(common)
	}
	for i := range text {
		f.rare = append(f.rare, i)
	}
	slices.SortStableFunc(f.rare, func(a, b int) int { return cmp.Compare(rank(b), rank(a)) })
	return f
}

// often is how many bytes of output a hit on a rare byte should stand for.
const often = 1024

// in says whether the text stands in data.
func (f *finder) in(data []byte) bool {
	offset := f.rare[0]
	c := f.text[offset]
	for at, hits := offset, 0; at < len(data); {
		i := bytes.IndexByte(data[at:], c)
		if i < 0 {
			return false
		}
		from := at + i - offset
		if bytes.HasPrefix(data[from:], f.text) {
			return true
		}
		at += i + 1
		if hits++; hits > 64 && hits*often > at {
			f.rare = append(f.rare[1:], f.rare[0]) // not rare here: another one next time
			return bytes.Contains(data[at-offset:], f.text)
		}
	}
	return false
}
