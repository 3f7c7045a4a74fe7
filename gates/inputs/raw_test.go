package inputs

import (
	"os"
	"strings"
	"testing"
)

// What is on disk counts, whatever git makes of it: carriage returns that it takes
// out, comments that a filter does, executable bits that it does not look at. Git
// is asked in between, so that it takes down the times of what it calls unmodified.
func TestSinceRaw(t *testing.T) {
	needs(t, "sed")
	r := newRepo(t, map[string]string{
		"a.txt": "one\ntwo\n", "b.cfg": "x\n", "run.sh": "exit\n", "win.bat": "one\r\n", "same.txt": "1\n",
		".gitattributes": "*.txt text=auto\n*.cfg filter=plain\n*.bat text eol=crlf\n",
	})
	r.run("git", "config", "filter.plain.clean", "sed /^#/d")
	r.run("git", "config", "filter.plain.smudge", "cat")
	r.run("git", "config", "core.fileMode", "false")
	r.commit()
	r.write("new.txt", "new\n")
	s := r.take(Inputs{})
	if len(s.Raw) > 0 {
		t.Fatalf("%+v", s.Raw)
	}
	for _, looked := range []bool{false, true} {
		for _, step := range []struct {
			name  string
			do    func()
			first string
			count int
		}{
			{"nothing", func() {}, "", 0},
			{"carriage returns", func() { r.write("a.txt", "one\r\ntwo\r\n") }, "a.txt", 1},
			{"put back", func() { r.write("a.txt", "one\ntwo\n") }, "", 0},
			{"what a filter takes out", func() { r.write("b.cfg", "x\n# y\n") }, "b.cfg", 1},
			{"put back", func() { r.write("b.cfg", "x\n") }, "", 0},
			{"executable", func() { r.check(os.Chmod(r.path("run.sh"), 0o755)) }, "run.sh", 1},
			{"put back", func() { r.check(os.Chmod(r.path("run.sh"), 0o644)) }, "", 0},
			{"touched", func() { r.write("win.bat", "one\r\n") }, "", 0},
			{"one that is new", func() { r.write("new.txt", "new\r\n") }, "new.txt", 1},
			{"put back", func() { r.write("new.txt", "new\n") }, "", 0},
		} {
			step.do()
			if looked {
				r.run("git", "update-index", "-q", "--refresh")
			}
			if c := r.since(s); c.First != step.first || c.Count != step.count || c.Unknown != "" {
				t.Errorf("%s (git has looked: %v): %+v, want %q", step.name, looked, c, step.first)
			}
		}
	}

	// What was so when it was judged is as it was, committed or not.
	r.write("a.txt", "one\r\ntwo\r\n")
	r.write("b.cfg", "x\n# y\n")
	r.write("new.txt", "new\r\n")
	s = r.take(Inputs{})
	if len(s.Raw) != 3 {
		t.Fatalf("%+v", s.Raw)
	}
	if c := r.since(s); c.Stale() {
		t.Errorf("%+v", c)
	}
	r.commit()
	if c := r.since(s); c.Stale() {
		t.Errorf("committed: %+v", c)
	}
	r.write("b.cfg", "x\n")
	r.check(os.Remove(r.path("new.txt")))
	if c := r.since(s); c.First != "b.cfg" || c.Count != 2 || !strings.Contains(c.String(), "b.cfg and 1 other file") {
		t.Errorf("%+v", c)
	}
}
