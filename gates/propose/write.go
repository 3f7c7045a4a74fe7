package propose

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"gpuci/gates/config"
)

// ErrThere is what Write returns, wrapped, where something of that name is
// there already: a file, a directory, a symbolic link to anywhere or nowhere.
var ErrThere = errors.New(config.FileName + " is there already")

// Write puts a text into a new gpuci.toml in the directory root. It replaces
// nothing, also not what somebody else makes at the same moment, and whoever
// reads the file reads all of it. Killed, it can leave a file .gpuci.toml.*
// behind, which nothing reads.
func Write(root, text string) error {
	path := filepath.Join(root, config.FileName)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("write %s: %w", path, ErrThere)
	}
	part := filepath.Join(root, "."+config.FileName+"."+rand.Text())
	if err := writePart(part, text); err != nil {
		return fmt.Errorf("write %s: %w: make %s writable, or use --print", path, err, root)
	}
	defer os.Remove(part)
	err := os.Link(part, path)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EMLINK) {
		// A file system without hard links. This one also refuses to replace.
		err = unix.Renameat2(unix.AT_FDCWD, part, unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	}
	switch {
	case errors.Is(err, unix.EEXIST):
		return fmt.Errorf("write %s: %w", path, ErrThere)
	case err != nil:
		return fmt.Errorf("write %s: %w: --print writes it to stdout", path, err)
	}
	return nil
}

// writePart writes the text under a name that nobody looks for, down to the disk.
func writePart(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}
