//go:build linux

package main_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gpuci/buildlock/shim"
)

// warmed is the cache of warmGo, which is filled once, beside the test binary: go
// test removes that directory.
var warmed = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	warm := filepath.Join(filepath.Dir(self), "gocache")
	cmd := exec.Command("go", "build", "runtime", "runtime/cgo")
	cmd.Env = append(bareEnv(), "GOCACHE="+warm, "GOPROXY=off", "GOTOOLCHAIN=local")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fill a build cache: %w: %s", err, out)
	}
	return warm, nil
})

// warmGo is a build cache to copy, which has what every Go program imports.
func warmGo(t *testing.T) string {
	t.Helper()
	warm, err := warmed()
	if err != nil {
		t.Fatal(err)
	}
	return warm
}

// TestMatrixGo gives each lane a build cache of its own, which has the standard
// library in it and nothing else: a cached link would not be made again.
func TestMatrixGo(t *testing.T) {
	needTools(t, "go", "gcc")
	warm := warmGo(t)
	fill := []string{"sh", "-c", `rm -rf bin cache && cp -a "$WARM" cache`}
	project{
		archive: "go", tools: []string{"sh"}, links: 8, probes: true, copies: true, env: []string{"WARM=" + warm, "GOPROXY=off", "GOTOOLCHAIN=local"},
		configure: fill, clean: fill,
		build:    []string{"sh", "-c", `GOCACHE=$PWD/cache exec go build -p 8 -x -o bin/ ./cmd/...`},
		products: []string{"bin/*"}, did: `(?m)^.*/(compile|link|cgo|gcc|cc) .*$`,
	}.show(t)
}

// versioned is a gcc whose version is in the file beside it: it says so, and its
// programs do.
const versioned = `#!/bin/sh
v=$(cat "${0%/*}/version")
case " $* " in *' -### '*) echo "gcc version $v (of a test)" >&2; exit 0;; esac
exec /usr/bin/gcc -DVER="$v" "$@"
`

const printsVersion = `package main

// static int version(void) { return VER; }
import "C"

func main() { print(C.version()) }
`

// goWay is one way to build the program that prints its compiler's version,
// with a build cache of its own.
type goWay struct {
	module, cache string
	env           []string
}

// make builds it and says what go has of the compiler in its keys, and what
// came of it.
func (w goWay) make(t *testing.T, version string) string {
	t.Helper()
	text := w.build(t, version)
	program := w.program(version)
	ids := regexp.MustCompile(`CC ID.*`).FindAllString(text, -1)
	return fmt.Sprintf("%q\n%s\n%x", ids, begin(t, w.module, w.env, program).wait(t), sha256.Sum256([]byte(readAll(t, program))))
}

func (w goWay) program(version string) string { return filepath.Join(w.cache, "x"+version) }

func (w goWay) build(t *testing.T, version string) string {
	t.Helper()
	return begin(t, w.module, shim.With(w.env, "GOCACHE", w.cache), "go", "build", "-x", "-o", w.program(version), ".").wait(t)
}

var goWorks = regexp.MustCompile(`(?m)^(\S+/gpuci-link )?\S+/(compile|link|cgo|gcc) .*$`)

// TestMatrixGoCompilerChange: go has the C compiler's version in the keys of its
// cache, and asks for it through its -toolexec. Through the shims it hears what
// it hears without them: a new compiler builds anew, and nothing else does.
func TestMatrixGoCompilerChange(t *testing.T) {
	needTools(t, "go", "/usr/bin/gcc")
	dir := t.TempDir()
	module := filepath.Join(dir, "m")
	write(t, filepath.Join(module, "go.mod"), "module x\n\ngo 1.21\n")
	write(t, filepath.Join(module, "main.go"), printsVersion)
	shimFile(t, filepath.Join(dir, "bin/gcc"), versioned)
	base := append(onPath(bareEnv(), []string{filepath.Join(dir, "bin")}), "GODEBUG=gocachehash=1", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=1")
	warm := warmGo(t)
	l := newLock(t, base, 1)
	ways := []goWay{{module, dir + "/bare", base}, {module, dir + "/shims", l.env}, {module, dir + "/by-name", shim.With(l.env, shim.GoFlagsVar, "-toolexec=gpuci-link")}}
	made := make(map[string]string) // by version: what came of it bare
	for _, way := range ways {
		begin(t, dir, base, "cp", "-a", warm, way.cache).wait(t)
		for _, version := range []string{"12", "13"} {
			write(t, filepath.Join(dir, "bin/version"), version)
			got := way.make(t, version)
			if !strings.Contains(got, "gcc version "+version+" (of a test)") || !strings.Contains(got, "\n"+version+"\n") {
				t.Errorf("%s, gcc %s: %s", way.cache, version, got)
			}
			if made[version] == "" {
				made[version] = got
			}
			if diff := cmp.Diff(made[version], got); diff != "" {
				t.Errorf("%s, gcc %s (-bare +got):\n%s", way.cache, version, diff)
			}
			for _, other := range ways {
				other.cache = way.cache
				if found := goWorks.FindString(other.build(t, version)); found != "" {
					t.Errorf("in %s, gcc %s: builds again where the flags are %q: %s", way.cache, version, other.env[len(other.env)-1], found)
				}
			}
		}
	}
	if n := l.tickets(t); n < 4 {
		t.Errorf("%d links had a ticket; there are four of go's alone", n)
	}
}
