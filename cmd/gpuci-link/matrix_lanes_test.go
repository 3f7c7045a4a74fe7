//go:build linux

package main_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// watched builds both lanes at once under a watcher.
func (l *lanes) watched(t *testing.T, lock lock) (texts []string, seen, unseen links) {
	t.Helper()
	env := l.environ(lock)
	w := watch(t, lock.shims)
	var builds []*build
	for _, dir := range l.dirs {
		builds = append(builds, begin(t, dir, env, l.build...))
	}
	for _, b := range builds {
		text := b.wait(t)
		if found := complaint.FindString(text); found != "" {
			t.Errorf("%q says %q:\n%s", l.build, found, text)
		}
		texts = append(texts, text)
	}
	seen, unseen = w.stop(t)
	for _, pid := range w.left() {
		lock.wantUnheld(t, pid)
	}
	return texts, seen, unseen
}

// rebuild builds both lanes from clean and checks that the watcher saw every
// link that there must be. When it may have missed one, or cannot say whether
// two overlapped, it builds again.
func (l *lanes) rebuild(t *testing.T, lock lock) (seen links) {
	t.Helper()
	want := l.links * len(l.dirs)
	for range 5 {
		for _, dir := range l.dirs {
			begin(t, dir, l.environ(lock), l.clean...).wait(t)
		}
		if left := l.hash(t); len(left) > 0 {
			t.Fatalf("clean left %d products", len(left))
		}
		var unseen links
		_, seen, unseen = l.watched(t, lock)
		missed, unclear := len(seen) < want && len(unseen) > 0, lock.slots > 0 && seen.unclear(lock.slots)
		if !missed && !unclear {
			break
		}
		t.Logf("builds again: saw %d links of %d (overlaps unclear: %v); gone before it could be seen what they ran: %v", len(seen), want, unclear, unseen)
	}
	if len(seen) < want || len(seen) > want && !l.probes {
		t.Errorf("saw %d links, want %d: %v", len(seen), want, seen)
	}
	return seen
}

// through builds both lanes through the shims: never more links at once than
// the lock has slots, that many reached, and the same products.
func (l *lanes) through(t *testing.T, lock lock) {
	t.Helper()
	seen := l.rebuild(t, lock)
	seen.wantMost(t, lock.slots)
	seen.wantAtLeast(t, lock.slots)
	if diff := cmp.Diff(l.sums, l.hash(t)); diff != "" {
		t.Errorf("products through %d slots differ (-bare +through):\n%s", lock.slots, diff)
	}
}

// complaint is what no build here may say: that an LTO is without its jobserver,
// or anything about us.
var complaint = regexp.MustCompile(`jobserver is not available|serial compilation|gpuci(-link)?: `)

// idle builds once more: nothing may be done anew.
func (l *lanes) idle(t *testing.T, lock lock) {
	t.Helper()
	before := l.times(t)
	texts, seen, _ := l.watched(t, lock)
	if len(seen) > 0 {
		t.Errorf("a build with nothing to do made links: %v", seen)
	}
	for _, text := range texts {
		if found := regexp.MustCompile(l.did).FindString(text); found != "" {
			t.Errorf("a build with nothing to do says %q:\n%s", found, text)
		}
	}
	if diff := cmp.Diff(before, l.times(t)); diff != "" && !l.copies {
		t.Errorf("a build with nothing to do wrote products (-before +after):\n%s", diff)
	}
}

// hash sums the products of both lanes.
func (l *lanes) hash(t *testing.T) map[string][sha256.Size]byte {
	t.Helper()
	sums := make(map[string][sha256.Size]byte)
	for _, path := range l.paths(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sums[path] = sha256.Sum256(data)
	}
	return sums
}

// times says when the products were last written.
func (l *lanes) times(t *testing.T) map[string]time.Time {
	t.Helper()
	times := make(map[string]time.Time)
	for _, path := range l.paths(t) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		times[path] = info.ModTime()
	}
	return times
}

func (l *lanes) paths(t *testing.T) (paths []string) {
	t.Helper()
	for _, dir := range l.dirs {
		for _, pattern := range l.products {
			found, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, found...)
		}
	}
	return paths
}
