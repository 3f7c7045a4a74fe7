package reader

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// project writes the files of an archive below a temporary directory.
func project(t *testing.T, archive string) string {
	t.Helper()
	files, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// need skips a test where a tool is missing, unless tests are to be strict.
func need(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatalf("needs %s", tool)
		}
		t.Skipf("needs %s", tool)
	}
}

// outputOf runs a command and returns what it wrote. Its exit status is not the
// reader's business.
func outputOf(t *testing.T, dir string, env []string, argv ...string) (stdout, stderr []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, err bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &err
	cmd.WaitDelay = time.Second
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatalf("run %q: %v", argv, e)
	}
	return out.Bytes(), err.Bytes()
}

// feed gives the whole output of a stream to a reader and returns what a person
// would see.
func feed(r Reader, s Stream, output []byte) string {
	var seen strings.Builder
	for line := range bytes.Lines(output) {
		if text := r.Line(s, Plain(bytes.TrimSuffix(line, []byte("\n")))); text != nil {
			seen.Write(text)
			seen.WriteByte('\n')
		}
	}
	return seen.String()
}

// want is what a run must count; says is a part of each contradiction, and
// remarks of each remark.
type want struct {
	Counts
	says, remarks []string
}

// check reads the output with each stream first, since nothing says how the two
// arrive, and returns what a person sees of stdout.
func check(t *testing.T, name string, stdout, stderr []byte, w want) string {
	t.Helper()
	var seen string
	for _, first := range []Stream{Stderr, Stdout} {
		r, err := New(name)
		if err != nil {
			t.Fatal(err)
		}
		if first == Stderr {
			feed(r, Stderr, stderr)
		}
		seen = feed(r, Stdout, stdout)
		if first == Stdout {
			feed(r, Stderr, stderr)
		}
		if !holds(t, r, stdout, stderr, w) {
			break
		}
	}
	return seen
}

// holds ends the reading and holds the counts against what was wanted.
func holds(t *testing.T, r Reader, stdout, stderr []byte, w want) bool {
	t.Helper()
	c := r.Counts()
	ok := matches(c.Contradictions, w.says) && matches(c.Remarks, w.remarks)
	got := c
	got.Contradictions, got.Remarks, got.Products, got.Roll = nil, nil, nil, nil
	diff := cmp.Diff(w.Counts, got)
	if ok = ok && diff == ""; !ok {
		t.Errorf("counts (-want +got):\n%s\ncontradictions %q want %q\nremarks %q want %q\nstdout:\n%s\nstderr:\n%s",
			diff, c.Contradictions, w.says, c.Remarks, w.remarks, stdout, stderr)
	}
	return ok
}

// matches reports whether each sentence has its part.
func matches(sentences, parts []string) bool {
	if len(sentences) != len(parts) {
		return false
	}
	for i := range parts {
		if !strings.Contains(sentences[i], parts[i]) {
			return false
		}
	}
	return true
}
