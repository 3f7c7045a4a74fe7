package seed

import "testing"

// The inputs of all cases hang on these: FNV-1a's own published values.
func TestOf(t *testing.T) {
	for name, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := Of(name); got != want {
			t.Errorf("Of(%q) is %#x, want %#x", name, got, want)
		}
	}
}
