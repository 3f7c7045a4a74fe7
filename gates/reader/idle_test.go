package reader

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readAll feeds whole lines; with skip it leaves out the blocks that Idle
// calls noise.
func readAll(r Reader, s Stream, text string, skip bool) Counts {
	const block = 3 // lines that are asked about at once
	lines := strings.SplitAfter(text, "\n")
	for len(lines) > 0 {
		n := min(block, len(lines))
		joined := strings.Join(lines[:n], "")
		if !skip || !r.Idle(s, []byte(joined)) {
			for _, line := range lines[:n] {
				r.Line(s, []byte(strings.TrimSuffix(line, "\n")))
			}
		}
		lines = lines[n:]
	}
	return r.Counts()
}

// FuzzIdle: leaving out what Idle calls noise changes no count.
func FuzzIdle(f *testing.F) {
	for _, s := range []string{
		"running 1 test\nnoise\nnoise\nnoise\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
		"x\n\n\nrunning 2 tests\nfailures:\n    a\n    b\n\ntest result: FAILED. 0 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\nx\nx\nx\n",
		"     Running unittests src/lib.rs (target/debug/deps/lt-d08e8b453f7c5fff)\n   Doc-tests lt\nx\nx\n",
		"failures:\nx\nx\nx\n    a\n", "no newline",
		"=== test session starts ===\nx\nx\ncollected 1 item\nx\nx\nx\nx\nx\n=== short test summary info ===\nx\nx\nFAILED a\nx\n=== 1 failed in 0.01s ===\nx\n",
		"x === test session starts ===\nx\nx\ncollecting ... collected 1 item\n1 worker [1 item]\nx\n!!! x !!!\nno tests ran in 0.01s\n=== no tests ran in 0.01s ===\n",
		"Test project /b\nx\nx\n 1/1 Test #1: a ...   Passed    0.01 sec\nx\nx\n100% tests passed, 0 tests failed out of 1\nx\nx\n",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, stderr bool) {
		s := Stdout
		if stderr {
			s = Stderr
		}
		if strings.ContainsAny(text, "\r\x1b") {
			return
		}
		for _, name := range Names() {
			whole, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			skipping, _ := New(name)
			if diff := cmp.Diff(readAll(whole, s, text, false), readAll(skipping, s, text, true)); diff != "" {
				t.Errorf("%s (-all lines +skipping):\n%s", name, diff)
			}
		}
	})
}

// Idle does say so, or the shortcut would be none.
func TestIdleSkipsNoise(t *testing.T) {
	noise := []byte(strings.Repeat("step 12 loss 3.25\n\ntests are fine\n  Running late\n", 10))
	for name, want := range map[string]bool{"libtest": true, "pytest": true, "ctest": true, "counters": true, "junit:*.xml": true, "none": true} {
		r, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Idle(Stdout, noise); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
