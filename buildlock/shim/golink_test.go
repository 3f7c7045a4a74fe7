package shim

import (
	"strings"
	"testing"
)

func TestToolexec(t *testing.T) {
	for line, want := range map[string]string{
		"go test -json ./...":            "go test -toolexec=gpuci-link -json ./...",
		"/usr/local/go/bin/go build .":   "/usr/local/go/bin/go build -toolexec=gpuci-link .",
		"go version":                     "go version",
		"go":                             "go",
		"gofmt build":                    "gofmt build",
		"go build -toolexec mine .":      "go build -toolexec mine .",
		"go install --toolexec=mine ...": "go install --toolexec=mine ...",
	} {
		if got := strings.Join(toolexec(strings.Fields(line), nil), " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
	if got := toolexec([]string{"go", "build"}, []string{"GOFLAGS=-mod=mod -toolexec=mine"}); len(got) != 2 {
		t.Errorf("with one in GOFLAGS: %q", got)
	}
}

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
