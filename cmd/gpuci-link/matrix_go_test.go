//go:build linux

package main_test

import (
	"path/filepath"
	"testing"

	"gpuci/buildlock/shim"
)

// TestMatrixGo gives each lane a build cache of its own, which has the standard
// library in it and nothing else: a cached link would not be made again.
func TestMatrixGo(t *testing.T) {
	needTools(t, "go", "gcc")
	warm := filepath.Join(t.TempDir(), "warm")
	begin(t, ".", shim.With(bareEnv(), "GOCACHE", warm), "go", "build", "runtime/cgo").wait(t)
	fill := []string{"sh", "-c", `rm -rf bin cache && cp -a "$WARM" cache`}
	project{
		archive: "go", tools: []string{"sh"}, links: 8, probes: true, copies: true, env: []string{"WARM=" + warm, "GOPROXY=off", "GOTOOLCHAIN=local"},
		configure: fill, clean: fill,
		build:    []string{"sh", "-c", `GOCACHE=$PWD/cache exec go build -p 8 -x -o bin/ ./cmd/...`},
		products: []string{"bin/*"}, did: `(?m)^.*/(compile|link|cgo|gcc|cc) .*$`,
	}.show(t)
}
