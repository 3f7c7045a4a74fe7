package config

import (
	"os"
	"regexp"
	"testing"
)

// The rules that people copy fit the ways in which a trainer is started, and no editor
// of it.
func TestProtectExample(t *testing.T) {
	command := regexp.MustCompile(`(?m)^#? *command = '([^']*train[^']*)'`)
	for _, file := range []string{"reference.toml", "../../README.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := command.FindSubmatch(text)
		if m == nil {
			t.Errorf("%s has no example", file)
			continue
		}
		re := regexp.MustCompile(string(m[1]))
		for line, want := range map[string]bool{
			"python3 train.py": true, "/usr/bin/python3.11 -u /home/alice/train.py --lr 1": true, "python -m train --seed 1": true,
			"/venv/bin/torchrun --nproc-per-node 8 train.py": true, "vim train.py": false, "less /home/alice/train.py": false, "python3 constrained.py": false,
		} {
			if got := re.MatchString(line); got != want {
				t.Errorf("%s: %s fits %q: %v, want %v", file, m[1], line, got, want)
			}
		}
	}
}
