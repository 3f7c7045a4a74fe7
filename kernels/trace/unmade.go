package trace

import (
	"errors"
	"fmt"
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
// write to is there already, has its room on the disk, and is for every user's.
func Ready(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, unmadeFile), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return fmt.Errorf("make the recording: %w", err)
	}
	_, err = f.WriteAt(make([]byte, unmadePlaces*unmadeSize), 0)
	if err = errors.Join(err, f.Chmod(0o666), f.Close()); err != nil {
		return fmt.Errorf("make the recording: %w", err)
	}
	return nil
}

// readUnmade are those that said so. Of two that took one place it has the later one.
func readUnmade(dir string) (list []string, err error) {
	b, err := readRegular(filepath.Join(dir, unmadeFile), unmadePlaces*unmadeSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // a recording of before, or of the library alone
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	for ; len(b) > 0; b = b[min(len(b), unmadeSize):] {
		if who := strings.TrimSpace(text(b[:min(len(b), unmadeSize)])); who != "" {
			list = append(list, who)
		}
	}
	return list, nil
}
