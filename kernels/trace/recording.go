package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Recording is what a run left behind.
type Recording struct {
	Dir       string
	Processes []Process // in the order in which they first used CUDA
}

// NoRecording says that a directory has none.
type NoRecording struct{ Dir string }

func (e *NoRecording) Error() string {
	return fmt.Sprintf("read the recording: %s has none: no process that was traced there used CUDA", e.Dir)
}

// ReadDir finds the processes of a recording. The error is a *[NoRecording] where there
// are none.
func ReadDir(dir string) (Recording, error) {
	r := Recording{Dir: dir}
	if _, err := os.Stat(dir); err != nil {
		return r, fmt.Errorf("read the recording: %w", err)
	}
	files, err := fs.Glob(os.DirFS(dir), "*.events")
	if err != nil {
		return r, err
	}
	for _, name := range files {
		p, err := readProcess(filepath.Join(dir, name))
		if errors.Is(err, errNotBegun) {
			continue
		}
		if err != nil {
			return r, fmt.Errorf("read %s: %w", filepath.Join(dir, name), err)
		}
		r.Processes = append(r.Processes, p)
	}
	if len(r.Processes) == 0 {
		return r, &NoRecording{dir}
	}
	slices.SortFunc(r.Processes, func(a, b Process) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.PID, b.PID))
	})
	return r, nil
}

func readProcess(file string) (Process, error) {
	f, err := openRegular(file)
	if err != nil {
		return Process{}, err
	}
	defer f.Close()
	p, err := readHead(f)
	p.file = strings.TrimSuffix(file, ".events")
	return p, err
}
