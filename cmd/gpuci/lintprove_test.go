package main

import (
	"strings"
	"testing"
)

// TestLintProofIsOfTheCommand: a red that the edit makes, that an earlier run left, or that
// comes now and then withdraws nothing; one that the command itself makes does.
func TestLintProofIsOfTheCommand(t *testing.T) {
	w := linted(t, `
[[gate]]
name = "diff"
run = ["sh", "diff.sh"]
reader = "none"
[[gate]]
name = "makes"
run = ["sh", "makes.sh"]
reader = "none"
[[gate]]
name = "second"
run = ["sh", "second.sh"]
reader = "none"
[[gate]]
name = "tags"
run = ["sh", "tags.sh"]
reader = "none"
[[gate]]
name = "leads"
run = ["sh", "leads.sh"]
reader = "none"
[[gate]]
name = "other-status"
run = ["sh", "other.sh"]
reader = "none"
`, map[string]string{
		".gitignore": "*.log\nout.d\ncount\nfailed\n",
		"step":       "#!/bin/sh\necho x\n",
		"diff.sh":    "set -eu\n./step | tee step.log\ngit diff --exit-code\n",
		"makes.sh":   "set -eu\n./step | tee step.log\nmkdir out.d\n",
		"second.sh":  "set -eu\n./step | tee step.log\necho x >> count\n[ $(( $(wc -l < count) % 2 )) = 1 ]\n",
		"tags.sh":    "set -eu\n./step | tee step.log\ngit tag made-by-a-gate\n",
		"leads.sh":   "set -eu\n>step.log 2>&1 ./step || true\n",
		"other.sh":   "set -eu\n./step > step.log || echo > failed\n[ ! -e failed ] || { rm failed; exit 3; }\n",
	})
	for gate, want := range map[string]string{
		"diff": "1 proven", "makes": "1 not proven", "second": "1 proven", "leads": "1 proven", "other-status": "1 withdrawn",
	} {
		if out, _ := answer(t, w.command(t, "lint", "--prove", gate)); !strings.Contains(out, want) {
			t.Errorf("%s: want %s: %s", gate, want, out)
		}
	}
	out, exit := answer(t, w.command(t, "lint", "--prove", "tags"))
	if exit == 0 || !strings.Contains(out, "1 not proven") || !strings.Contains(out, "refs/tags/made-by-a-gate") {
		t.Errorf("exit %d: %s", exit, out)
	}
}
