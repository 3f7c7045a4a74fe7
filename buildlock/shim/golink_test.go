package shim

import (
	"strings"
	"testing"
)

func TestGoLinks(t *testing.T) {
	const tool = "/usr/local/go/pkg/tool/linux_amd64/"
	for line, want := range map[string]bool{
		tool + "link -o x a.a": true, tool + "link -V=full": false, tool + "compile -o x": false, tool + "link": false, "/usr/bin/link a b": false,
	} {
		if got := GoLinks(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
