package tsv

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// Append adds the rows that a file does not have yet to its end, and says how
// many those were. The file is named from a root, which is a directory of ours; one
// that is not there is made, with its directory. Rows that are there already, of
// the same run, metric and labels, are left out.
//
// The rows are written by one call; where that fails half-way, the file is cut
// back to what it was. The error wraps ErrFormat for a file that is none of ours,
// and one with a merge's conflict in it, and ErrNoFile for what is no plain file
// or is reached through a symbolic link.
func Append(root, name string, rows []Row) (added int, err error) {
	if len(rows) == 0 {
		return 0, nil
	}
	if err := noLinks(root, name); err != nil {
		return 0, fmt.Errorf("append to %s: %w", name, err)
	}
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	_, before := os.Lstat(path)
	f, err := openPlain(path, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	defer f.Close()
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY)) // two exports at once would both add a row
	if err := lock.Lock(); err != nil {
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	defer lock.Close()
	added, err = appendTo(f, rows)
	if err != nil {
		if info, now := f.Stat(); errors.Is(before, fs.ErrNotExist) && now == nil && info.Size() == 0 {
			err = errors.Join(err, os.Remove(path)) // it was made for nothing
		}
		return 0, fmt.Errorf("append to %s: %w", path, err)
	}
	return added, nil
}

func appendTo(f *os.File, rows []Row) (int, error) {
	data, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	file, err := Parse(data)
	if err != nil {
		return 0, err
	}
	if len(file.Problems) > 0 {
		return 0, fmt.Errorf("%w: %s", ErrFormat, file.Problems[0])
	}
	var out strings.Builder
	switch {
	case file.header == nil:
		file.header = columns
		out.WriteString(strings.Join(columns, "\t") + "\n")
	case !bytes.HasSuffix(data, []byte("\n")):
		out.WriteString("\n")
	}
	added := 0
	for _, r := range rows {
		if _, there := file.keys[r.Key()]; !there {
			file.keys[r.Key()] = 0
			out.WriteString(r.line(file.header) + "\n")
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	if _, err := f.WriteString(out.String()); err != nil {
		return 0, errors.Join(err, f.Truncate(int64(len(data))))
	}
	return added, nil
}

// File is a history that was read.
type File struct {
	Problems []string // lines that are no rows, two rows that contradict each other
	header   []string // nil for an empty file
	keys     map[Key]int
}

// Has says whether a row of a run is in the file.
func (f File) Has(k Key) bool { _, ok := f.keys[k]; return ok }

// Rows is how many there are.
func (f File) Rows() int { return len(f.keys) }

// Parse reads the text of a file. The error wraps ErrFormat when its first line
// is no header of ours.
func Parse(data []byte) (File, error) {
	file := File{keys: make(map[Key]int)}
	seen := make(map[Key]string)
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if file.header == nil {
			header, err := parseHeader(line)
			if err != nil {
				return File{}, err
			}
			file.header = header
			continue
		}
		if line == "" || slices.Equal(strings.Split(line, "\t"), file.header) { // both branches made the file
			continue
		}
		file.row(number, line, seen)
	}
	return file, nil
}

// fieldCount is how many fields a line has.
func fieldCount(line string) string {
	if n := strings.Count(line, "\t") + 1; n > 1 {
		return fmt.Sprintf("%d fields", n)
	}
	return "1 field"
}

func (f *File) row(number int, line string, seen map[Key]string) {
	if conflict(line) {
		f.Problems = append(f.Problems, fmt.Sprintf("line %d is left of a merge: %.20q", number, line))
		return
	}
	k, ok := key(f.header, line)
	if !ok {
		f.Problems = append(f.Problems, fmt.Sprintf("line %d has %s where the first line names %d", number, fieldCount(line), len(f.header)))
		return
	}
	if before, twice := seen[k]; twice && before != line {
		f.Problems = append(f.Problems, fmt.Sprintf("line %d says otherwise of run %s, %s than line %d", number, k.Run, k.Metric, f.keys[k]))
		return
	}
	if _, twice := seen[k]; !twice {
		seen[k], f.keys[k] = line, number
	}
}

// conflict knows the lines that git leaves where a merge needs a person.
func conflict(line string) bool {
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>", "|||||||"} {
		if line == mark || strings.HasPrefix(line, mark+" ") {
			return true
		}
	}
	return false
}
