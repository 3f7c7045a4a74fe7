package worktrees

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const zeros = "0000000000000000000000000000000000000000"

func TestParseStatus(t *testing.T) {
	id := strings.Repeat("a", hexSHA1)
	got, err := parseStatus(strings.Join([]string{
		"# branch.oid " + id, "# branch.head feature/x", "# branch.upstream origin/x", "# stash 3",
		"1 D. N... 100644 000000 000000 " + id + " " + zeros + " src/with space",
		"u UU N... 100644 100644 100644 100644 " + id + " " + id + " " + id + " both\nsides",
		"? nested/", "? src/with space", "",
	}, "\x00"))
	want := report{
		head: head{commit: id, branch: "feature/x"},
		changes: []change{
			{path: "both\nsides"},
			{path: "nested", headMode: absent},
			{path: "src/with space", headMode: regular, headID: id},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(report{}, head{}, change{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, out := range []string{"2 R. x", "1 short", "x y", "? "} {
		if _, err := parseStatus(out + "\x00"); err == nil {
			t.Errorf("parseStatus(%q) succeeds", out)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("# branch.oid (initial)\x00# branch.head (detached)\x00? x/\x00")
	f.Add("1 .M N... 100644 100644 100644 " + zeros + " " + zeros + " a b\x00")
	f.Add("u UU N... 1 2 3 4 5 6 7 a\x00? a\x00")
	f.Add("\x00\x00# \x001\x00")
	f.Fuzz(func(t *testing.T, out string) {
		r, err := parseStatus(out)
		if err != nil {
			return
		}
		if !slices.IsSortedFunc(r.changes, func(a, b change) int {
			if a.path == b.path {
				t.Fatalf("%q twice", a.path)
			}
			return strings.Compare(a.path, b.path)
		}) {
			t.Fatalf("not sorted: %+v", r.changes)
		}
	})
}

func FuzzAppendNames(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x05\x06\x07\x08\x18\x00\x08abc\x00\x00"))
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x01\x02\x03\x04\x05\x06\x07\x08\xff\xff\x04..\x00\x00\x00"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, on := range appendNames(nil, raw) {
			if s := string(on.name); s == "." || s == ".." || strings.Contains(s, "\x00") {
				t.Fatalf("name %q", s)
			}
		}
	})
}

// Files that come, go and change while the state is read: no failure, and an
// answer that git could have given.
func TestChangingTree(t *testing.T) {
	r := newRepo(t)
	l := r.lane()
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			r.write("src/a.go", strings.Repeat("x", i%5))
			r.write("come/and/go", "x")
			r.remove("come")
			r.remove("src/deep/er")
			r.write("src/deep/er/b.go", "package b\n")
		}
	}()
	for range 40 {
		st, err := ReadState(context.Background(), l)
		if err != nil {
			t.Errorf("ReadState: %v", err)
		}
		for _, path := range st.Paths {
			if !slices.Contains([]string{"src/a.go", "come/and/go", "src/deep/er/b.go"}, path) {
				t.Errorf("path %q", path)
			}
		}
	}
	close(stop)
	<-done
}
