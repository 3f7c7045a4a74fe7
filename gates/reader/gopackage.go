package reader

import (
	"bytes"
	"strings"
)

// goPackage is a package that has started and not ended.
type goPackage struct {
	open    map[string]*goTest
	lost    bool // more tests were open than are kept
	ran     bool // something was counted
	failed  bool
	word    lastWord
	ok      bool // go said ok
	noTests bool // go said that there were none to run
	cached  bool
	built   bool
}

// goTest is a test that has begun and not ended.
type goTest struct {
	parent      bool // it has subtests
	childFailed bool
}

// maxOpen bounds the tests of a package that are open at once. Real ones are
// open in parallel or paused, some thousand at most.
const maxOpen = 1 << 16

// packageLine looks for what the end of a package does not say.
func (p *goPackage) packageLine(line []byte) {
	switch {
	case string(line) == "PASS":
		p.word.passed = true
	case string(line) == "FAIL":
		p.word.failed = true
	case bytes.HasPrefix(line, []byte("ok  \t")):
		p.ok = true
		p.cached = bytes.Contains(line, []byte("\t(cached)"))
		p.noTests = bytes.HasSuffix(line, []byte("[no tests to run]"))
	case bytes.HasSuffix(line, []byte(" [build failed]")), bytes.HasSuffix(line, []byte(" [setup failed]")):
		p.built = false
	}
}

func (p *goPackage) run(test string) {
	if len(p.open) >= maxOpen {
		p.lost = true
		return
	}
	if above := above(p.open, test); above != nil {
		above.parent = true
	}
	p.open[test] = &goTest{}
}

// above finds the open test that a subtest belongs to. The name of a subtest
// may have slashes of its own.
func above[T any](open map[string]*T, test string) *T {
	for {
		i := strings.LastIndexByte(test, '/')
		if i < 0 {
			return nil
		}
		test = test[:i]
		if t := open[test]; t != nil {
			return t
		}
	}
}

func (p *goPackage) ended(c *Counts, test, action string) {
	t := p.open[test]
	if t == nil && action != "fail" {
		return
	}
	if t == nil { // it never began, but a failure is none the less
		t = &goTest{}
	}
	delete(p.open, test)
	p.ran = true
	if action == "fail" {
		p.failed = true
		if above := above(p.open, test); above != nil {
			above.childFailed = true
		}
	}
	switch {
	case action == "fail" && !t.childFailed:
		c.fail(test)
	case t.parent:
	case action == "pass":
		c.pass(test)
	case action == "skip":
		c.ignore(test)
	}
}
