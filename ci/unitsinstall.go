package ci

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// UnitName is what the units of a workspace are called, less .service and .timer: by
// its directory's name, for people, and by the hash of its path, since there may be
// several of that name.
func (s Schedule) UnitName() string {
	safe := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, filepath.Base(s.Workspace))
	const most = 64 // of the 255 bytes that a unit's name may have
	sum := sha256.Sum256([]byte(s.Workspace))
	return "gpuci-nightly-" + safe[:min(most, len(safe))] + "-" + hex.EncodeToString(sum[:4])
}

// ForeignError says that a file stands in the way that gpuci has not written.
type ForeignError struct{ Path string }

func (e *ForeignError) Error() string {
	return e.Path + " is there already, and gpuci has not written it"
}

// Install writes the two units into a directory, which is made if need be, and
// returns their paths. What it has not written itself it overwrites only where
// force is set; without, either both are written or none, with a *ForeignError.
func (s Schedule) Install(dir string, force bool) (paths []string, err error) {
	units := []struct{ suffix, text string }{{".service", s.Service()}, {".timer", s.Timer()}}
	for _, u := range units {
		path := filepath.Join(dir, s.UnitName()+u.suffix)
		if foreign(path) && !force {
			return nil, &ForeignError{path}
		}
		paths = append(paths, path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("install units: %w", err)
	}
	for i, u := range units {
		if err := replaceFile(paths[i], u.text); err != nil {
			return paths[:i], fmt.Errorf("install units: %w", err)
		}
	}
	return paths, nil
}

// foreign says whether something is there that does not begin with our mark: a link
// is none of ours, as systemctl mask and edit make them.
func foreign(path string) bool {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || !info.Mode().IsRegular() {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	begin := make([]byte, len(UnitsMark)+1)
	_, err = io.ReadFull(f, begin)
	return err != nil || !bytes.Equal(begin, []byte(UnitsMark+"\n"))
}

// replaceFile makes a file appear whole or not at all.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".gpuci-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
