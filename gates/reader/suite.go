package reader

import "slices"

// suite is one report of a test executable.
type suite struct {
	summary summary
	failed  nameList
	docs    bool // a name in it is one that rustdoc gives
	roll    *Roll
}

// maxFrames bounds how many unfinished runs a test may print inside one another.
const maxFrames = 64

// header opens a suite, or notes one that a test printed.
func (l *libtest) header(n int) {
	if len(l.frames) == 0 {
		l.commit()
		l.twin, l.listed, l.red, l.begun, l.docName = nil, nameList{}, nameList{}, "", false
		l.roll = newRoll()
		l.started.suite()
	}
	if len(l.frames) < maxFrames {
		l.frames = append(l.frames, n)
	}
}

// summary ends the innermost suite that it fits.
func (l *libtest) summary(sum summary) {
	if len(l.frames) == 0 {
		switch {
		case l.ended != nil && l.ended.summary.total() == sum.total():
			l.ended = l.suite(sum)
		case l.ended != nil:
			l.stray = true
		}
		return
	}
	at := len(l.frames) - 1
	for at >= 0 && l.frames[at] != sum.total() {
		at--
	}
	switch {
	case at < 0: // fits nothing: printed
	case at == 0:
		l.ended = l.suite(sum)
		l.frames = l.frames[:0]
	default:
		if l.frames[0] == sum.total() {
			l.twin = l.suite(sum)
		}
		l.frames = l.frames[:at]
	}
}

func (l *libtest) suite(sum summary) *suite {
	names := l.red.names
	if l.listed.n == sum.failed {
		names = l.listed.names
	}
	names = names[:min(len(names), sum.failed)]
	return &suite{summary: sum, docs: l.docName, roll: l.roll, failed: nameList{n: sum.failed, names: slices.Clone(names)}}
}

// commit counts the suite that ended, once nothing can replace it any more.
func (l *libtest) commit() {
	if l.ended == nil {
		return
	}
	sum, c := l.ended.summary, &l.total
	c.Suites++
	c.Passed += sum.passed
	c.Ignored += sum.ignored
	c.Measured += sum.measured
	c.Filtered += sum.filtered
	c.failAll(l.ended.failed)
	c.Roll = c.Roll.Joined(l.ended.roll)
	if l.ended.docs {
		l.docSuites++
	}
	l.ended = nil
}
