package worktrees

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBetween(t *testing.T) {
	r := newRepo(t)
	first := strings.TrimSpace(r.git("rev-parse", "HEAD"))
	r.write("README", "more\n")
	r.remove("src-x")
	r.write("src/new\n", "")
	r.git("add", "-A")
	r.git("commit", "-qm", "second")
	all, err := Between(context.Background(), r.lane(), first, "HEAD")
	r.check(err)
	got := map[string]string{}
	for _, d := range all {
		got[d.To.Path] = d.From.Mode + " " + d.To.Mode
		if d.From == d.To || d.From.Path != d.To.Path {
			t.Errorf("no difference: %+v", d)
		}
	}
	want := map[string]string{"README": "100644 100644", "src-x/c.go": "100644 000000", "src/new\n": "000000 100644"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if none, err := Between(context.Background(), r.lane(), first, first); len(none) > 0 || err != nil {
		t.Errorf("with itself: %v, %v", none, err)
	}
}

// A commit that was amended away and collected is told apart from a failure.
func TestBetweenGone(t *testing.T) {
	r := newRepo(t)
	gone := strings.Repeat("17", hexSHA1/2)
	if _, err := Between(context.Background(), r.lane(), gone, "HEAD"); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), gone+": ") {
		t.Errorf("err = %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Between(ctx, r.lane(), gone, "HEAD"); errors.Is(err, ErrGone) || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: err = %v", err)
	}
}

func TestIgnored(t *testing.T) {
	r := newRepo(t)
	r.write("x.o", "")
	r.write("y.o", "")
	r.git("add", "-f", "y.o")
	got, err := Ignored(context.Background(), r.lane(), []string{"README", "x.o", "y.o", "target/gen.h", "nowhere"})
	if diff := cmp.Diff([]string{"x.o", "target/gen.h"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// A tree that parses is the one that renders, and the other way round: ids that
// differ from git's would make every outcome stale.
func FuzzTree(f *testing.F) {
	id := strings.Repeat("\x17", hexSHA1/2)
	f.Add([]byte("100644 a\x00" + id + "40000 a.b\x00" + id + "100755 ab\x00" + id))
	f.Add([]byte("40000 a\x00" + id))
	f.Add([]byte("100644 \x00" + id))
	f.Add([]byte("100644 a\x00" + id[1:]))
	f.Fuzz(func(t *testing.T, data []byte) {
		nodes, err := parseTree(data, hexSHA1)
		if err != nil {
			return
		}
		out, err := renderTree(nodes)
		if err != nil || len(out) > len(data) {
			t.Fatalf("%q renders as %q, %v", data, out, err)
		}
		again, err := parseTree(out, hexSHA1)
		if err != nil || !maps.Equal(nodes, again) {
			t.Fatalf("%q parses as %v, %v; it was %v", out, again, err, nodes)
		}
	})
}

// What is read of git status takes every byte of a path for a part of it.
func FuzzRecords(f *testing.F) {
	zero, one := strings.Repeat("0", hexSHA1), strings.Repeat("1", hexSHA1)
	f.Add("a b", "M", false)
	f.Add("\n\"", ".", true)
	f.Fuzz(func(t *testing.T, path, work string, both bool) {
		if path == "" || strings.Contains(path, "\x00") || strings.HasSuffix(path, "/") || len(work) != 1 || strings.ContainsAny(work, " \x00") {
			return
		}
		out := "# branch.oid " + one + "\x001 M" + work + " N... 100644 100755 100644 " + zero + " " + one + " " + path + "\x00"
		want := record{path: path, tracked: true, onDisk: work != ".", mode: executable, id: one, workMode: regular}
		if both {
			out += "? " + path + "/\x00"
			want = record{path: path, onDisk: true, mode: absent}
		}
		h, records, err := parseRecords(out)
		if err != nil || h.commit != one || len(records) != 1 || records[0] != want {
			t.Fatalf("%q: %+v, %v; want %+v", out, records, err, want)
		}
	})
}
