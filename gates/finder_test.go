package gates

import (
	"bytes"
	"testing"
)

// FuzzFinder: the finder finds what bytes.Contains finds.
func FuzzFinder(f *testing.F) {
	f.Add("worst rel ", "step 1\nworst rel 3e-7\n")
	f.Add("aa", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")
	f.Add("ab", "b")
	f.Add("zzy", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzy")
	f.Fuzz(func(t *testing.T, text, data string) {
		if text == "" {
			return
		}
		for _, d := range []string{data, data + text, text + data, data + text[1:]} {
			want := bytes.Contains([]byte(d), []byte(text))
			if got := newFinder([]byte(text)).in([]byte(d)); got != want {
				t.Errorf("%q in %q: %t, want %t", text, d, got, want)
			}
		}
	})
}
