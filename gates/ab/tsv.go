package ab

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"gpuci/gates/history"
)

// columns are those of the file for git, in this order.
var columns = []string{
	"id", "banked", "who", "gate", "verdict", "metric", "unit", "base", "base-commit", "arm", "arm-commit",
	"change", "low", "high", "floor", "samples", "card", "profile", "flags", "why",
}

// ErrTSV says that a file is none of ours.
var ErrTSV = errors.New("it is no file of decisions")

// AppendTSV adds the line of a decision to a file that is named from a root, and says
// whether it was not there yet. The file is made where it is not there, with its
// directory. Nothing that stands in it is changed: a file with another header, with a
// merge's conflict in it or with a last line that has no end is refused with ErrTSV, and
// so is what is no plain file.
func AppendTSV(root, name string, d history.Decision) (added bool, err error) {
	path := filepath.Join(root, name)
	fail := func(err error) (bool, error) { return false, fmt.Errorf("append to %s: %w", path, err) }
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fail(err)
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err != nil || !within(root, real) {
		return fail(fmt.Errorf("%w: its directory is reached through a symbolic link", ErrTSV))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o644)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) || errors.Is(err, unix.EISDIR) {
		err = fmt.Errorf("%w: it is no plain file", ErrTSV)
	}
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fail(fmt.Errorf("%w: it is no plain file", ErrTSV))
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY)) // two who bank at once would both add a header
	if err := lock.Lock(); err != nil {
		return fail(err)
	}
	defer lock.Close()
	if added, err = appendRow(f, d); err != nil {
		return fail(err)
	}
	return added, nil
}

// within says whether a directory is another one or in it.
func within(root, dir string) bool {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}

// appendRow adds the line by one write; where that fails half-way, the file is cut back
// to what it was.
func appendRow(f *os.File, d history.Decision) (bool, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return false, err
	}
	text, head := string(data), strings.Join(columns, "\t")
	lines := strings.Split(text, "\n")
	out := row(d)
	switch {
	case text == "":
		out = head + "\n" + out
	case strings.TrimSuffix(lines[0], "\r") != head:
		return false, fmt.Errorf("%w: its first line is not the names of our columns", ErrTSV)
	case !strings.HasSuffix(text, "\n"):
		return false, fmt.Errorf("%w: its last line has no end", ErrTSV)
	case slices.ContainsFunc(lines, conflict):
		return false, fmt.Errorf("%w: a merge's conflict stands in it", ErrTSV)
	}
	if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, d.ID+"\t") }) {
		return false, nil
	}
	if _, err := f.WriteString(out + "\n"); err != nil {
		return false, errors.Join(err, f.Truncate(int64(len(data))))
	}
	return true, f.Sync()
}

func conflict(line string) bool {
	return slices.ContainsFunc([]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"}, func(mark string) bool {
		rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), mark)
		return ok && (rest == "" || rest[0] == ' ')
	})
}

// row is the line of a decision. Tabs, line ends and backslashes of a text are written
// as \t, \n, \r and \\.
func row(d history.Decision) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	cells := []string{
		d.ID, d.At.UTC().Format(time.RFC3339), d.Who, d.Gate, d.Verdict, d.Metric, d.Unit, d.Base.Spec, d.Base.Commit, d.Arm.Spec, d.Arm.Commit,
		number(d.Change), number(d.Low), number(d.High), number(d.Floor), strconv.Itoa(d.Samples), d.Card, d.Profile, strings.Join(d.Flags, " "), d.Why,
	}
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for i, c := range cells {
		cells[i] = escape.Replace(c)
	}
	return strings.Join(cells, "\t")
}
