package gates

import "bytes"

// finder looks for a text in a lot of output. bytes.Index looks for the first
// byte, which in a log is a common one ("worst rel": w, o, r); the rarest byte
// is found with vector instructions in few places.
type finder struct {
	text []byte
	rare int // index of the byte to look for
}

// common orders the bytes of logs by how often they come, the commonest first;
// what is not in it is rarer still.
const common = " e0t1a.sonir2dl3=-c54um_:p6/78b9gfhy,()[]wvkx"

func newFinder(text []byte) finder {
	f := finder{text: text}
	best := -1
	for i, c := range text {
		rank := bytes.IndexByte([]byte(common), c)
		if rank < 0 {
			rank = len(common)
		}
		if rank > best {
			best, f.rare = rank, i
		}
	}
	return f
}

// in says whether the text stands in data.
func (f finder) in(data []byte) bool {
	c, n := f.text[f.rare], len(f.text)
	for at, tries := f.rare, 0; at < len(data); {
		i := bytes.IndexByte(data[at:], c)
		if i < 0 {
			return false
		}
		from := at + i - f.rare
		if bytes.HasPrefix(data[from:], f.text) {
			return true
		}
		at += i + 1
		if tries++; tries > 64 && tries*64 > at { // not rare here
			return bytes.Contains(data[max(0, at-n+1):], f.text)
		}
	}
	return false
}
