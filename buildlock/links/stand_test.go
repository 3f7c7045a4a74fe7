package links

import (
	"os"
	"path/filepath"
	"testing"

	"gpuci/reaper/proc"
)

// Shims that were taken away and put back are not those that stood in front
// meanwhile.
func TestShimsMadeAgain(t *testing.T) {
	again := func(path string) error {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		return os.Mkdir(path, 0o755)
	}
	for name, c := range map[string]struct {
		change func(dir string) error
		want   bool
	}{
		"untouched":         {func(string) error { return nil }, false},
		"made again":        {again, true},
		"one of them again": {func(dir string) error { return again(dir + "/cc") }, true},
		"gone":              {os.RemoveAll, true},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "shims")
			if err := os.MkdirAll(dir+"/cc", 0o755); err != nil {
				t.Fatal(err)
			}
			w := &Watch{Build: "ours", LockDir: filepath.Join(top, "locks"), Shims: dir}
			w.looks(2, func(look int) []proc.Stat {
				if look == 1 {
					if err := c.change(dir); err != nil {
						t.Fatal(err)
					}
				}
				return nil
			})
			if got := w.Broken(); got != c.want {
				t.Errorf("broken: %v, want %v", got, c.want)
			}
		})
	}
}
