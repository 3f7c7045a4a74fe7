package trace

import (
	"cmp"
	"slices"
)

// ties gives calls the work that they asked for: calls come nearly in the order of their
// ties.
type ties struct {
	from  *workStream
	ahead []Work // that was read, in the order of ties; what is tied in it is gone
	loose int    // of these, that are not tied
	gone  int64  // that was not asked for, and was let go
}

// looseMost is how much work is held that no call has asked for by its time, 10 MiB: that of
// calls that were lost.
const looseMost = 1 << 18

// of is the work of a call: that of the call's own kind where there is some, since calls
// within one of CUDA's runtime have one number. What is marked as tied is not given again.
func (t *ties) of(tie uint32) []Work {
	if t.loose == 0 {
		t.ahead = t.ahead[:0]
	}
	for w := t.from.next(); w != nil && w.Tie <= tie; w = t.from.next() {
		if len(t.ahead) >= runSize && len(t.ahead) >= 2*t.loose || t.loose >= looseMost {
			t.shorten()
		}
		t.ahead = append(t.ahead, *w)
		t.loose++
		t.from.drop()
	}
	from := 0
	if n := len(t.ahead); n > 0 && t.ahead[n-1].Tie != tie || n > 1 && t.ahead[n-2].Tie == tie {
		from, _ = slices.BinarySearchFunc(t.ahead, tie, func(w Work, tie uint32) int { return cmp.Compare(w.Tie, tie) })
	} else {
		from = max(0, n-1)
	}
	to := from
	for to < len(t.ahead) && t.ahead[to].Tie == tie {
		to++
	}
	return t.ahead[from:to]
}

// take marks one as given.
func (t *ties) take(w *Work) {
	w.tied = true
	t.loose--
}

func (t *ties) shorten() {
	t.ahead = slices.DeleteFunc(t.ahead, func(w Work) bool { return w.tied })
	if t.loose >= looseMost {
		half := len(t.ahead) / 2
		t.ahead = slices.Delete(t.ahead, 0, half)
		t.loose, t.gone = t.loose-half, t.gone+int64(half)
	}
}

// rest is how much was not asked for at the end.
func (t *ties) rest() int64 {
	n := t.gone + int64(t.loose)
	for t.from.next() != nil {
		n++
		t.from.drop()
	}
	return n
}
