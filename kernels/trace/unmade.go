package trace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// unmadeFile is where a process says that it could make no file of its own, in 64 places of
// 64 bytes, of which it takes that of its number: "4711 python3: Permission denied".
const unmadeFile = "unmade"

const (
	unmadePlaces = 64
	unmadeSize   = 64
)

// Ready makes a directory ready for a recording: what a process that can make no file is to
// write to is there already, has its room on the disk, and is for every user's. It is an
// error where it is there: in a directory of somebody else's it may be a link to a file of ours.
func Ready(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, unmadeFile), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("make the recording: %w", err)
	}
	_, err = f.WriteAt(make([]byte, unmadePlaces*unmadeSize), 0)
	if err = errors.Join(err, f.Chmod(0o666), f.Close()); err != nil {
		return fmt.Errorf("make the recording: %w", err)
	}
	return nil
}

// readUnmade are those that said so. Of two that took one place it has the later one. The
// file is every user's, and may have come to be longer: what is behind the places is nobody's.
func readUnmade(dir string) (list []string, err error) {
	f, err := openRegular(filepath.Join(dir, unmadeFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a recording of before, or of the library alone
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, unmadePlaces*unmadeSize))
	if err != nil {
		return nil, err
	}
	for ; len(b) > 0; b = b[min(len(b), unmadeSize):] {
		if who := strings.TrimSpace(text(b[:min(len(b), unmadeSize)])); who != "" {
			list = append(list, who)
		}
	}
	return list, nil
}
