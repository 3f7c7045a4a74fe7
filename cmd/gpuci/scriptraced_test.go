package main

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
)

// alone are the scripts about a gpuci that has no gpuci-link beside it.
var alone = []string{"build", "doctor"}

// choose gives a script its gpuci: the real one, or the test binary.
//
// The race detector makes the start of a process four times as dear and what it
// reckons ten times, and these scripts start more than a thousand. What is concurrent
// within a gpuci is in the packages, whose own tests are all under the race detector;
// here it looks at one script in some, and at others with the next commits.
func choose(env *testscript.Env, name string) error {
	raced, err := isRaced(name)
	if err != nil || raced || slices.Contains(alone, name) {
		return err
	}
	path, err := binary()
	if err != nil {
		return err
	}
	env.Setenv("PATH", filepath.Dir(path)+string(filepath.ListSeparator)+env.Getenv("PATH"))
	return nil
}

// isRaced says whether a script has the test binary for its gpuci: part k of n, where
// GPUCI_TEST_RACED is k/n. 0/1 is all of them.
func isRaced(name string) (bool, error) {
	var k, n uint32
	part := cmp.Or(os.Getenv("GPUCI_TEST_RACED"), "0/4")
	if _, err := fmt.Sscanf(part, "%d/%d", &k, &n); err != nil || k >= n {
		return false, fmt.Errorf("GPUCI_TEST_RACED is %q: want k/n, k below n", part)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()%n == k, nil
}
