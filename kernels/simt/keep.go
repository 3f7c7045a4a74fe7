package simt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sums is the file in which a kept directory names what every other file of it has.
// A disk that was full, or a machine that went down, leaves files of the right name that
// are short.
const sums = "sums"

// keep gives the directory of that name, whole: as it was kept before, else filled by
// fill.
func keep(dir, name string, fill func(tmp string) error) (string, error) {
	for {
		to, there, err := find(dir, name)
		if there || err != nil {
			return to, err
		}
		if mine, err := arrive(to, fill); mine || err != nil {
			return to, err
		}
	}
}

// find gives the directory of that name when it is there and whole, else the name that
// one may take. One that is no longer as it was kept stays where it is, since somebody
// may be running from it.
func find(dir, name string) (path string, there bool, err error) {
	for n := 0; ; n++ {
		path = filepath.Join(dir, name)
		if n > 0 {
			path = fmt.Sprintf("%s.%d", path, n)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return path, false, nil
		} else if err != nil {
			return path, false, err
		}
		if whole(path) {
			return path, true, nil
		}
	}
}

// whole says whether every file of a kept directory is as its sums say.
func whole(dir string) bool {
	want, err := os.ReadFile(filepath.Join(dir, sums))
	if err != nil {
		return false
	}
	got, err := summed(dir)
	return err == nil && got == string(want)
}

// summed is a line "SUM NAME" for each file below dir but the sums.
func summed(dir string) (string, error) {
	var lines strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == sums {
			return err
		}
		data, err := os.ReadFile(path)
		hash := sha256.Sum256(data)
		fmt.Fprintf(&lines, "%s %s\n", hex.EncodeToString(hash[:]), name)
		return err
	})
	return lines.String(), err
}

// arrive makes a kept directory whole or not at all: fill fills one in a room of our
// own, which then takes its name. It says false when another process was faster.
func arrive(to string, fill func(tmp string) error) (bool, error) {
	parent := filepath.Dir(to)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return false, err
	}
	room, leave, err := enter(filepath.Dir(parent))
	if err != nil {
		return false, err
	}
	defer leave()
	tmp := filepath.Join(room, "new")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return false, err
	}
	if err := fill(tmp); err != nil {
		return false, err
	}
	lines, err := summed(tmp)
	if err != nil {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(tmp, sums), []byte(lines), 0o666); err != nil {
		return false, err
	}
	if err := os.Rename(tmp, to); err != nil {
		if _, there := os.Stat(to); there != nil {
			return false, err
		}
		return false, nil
	}
	return true, nil
}
