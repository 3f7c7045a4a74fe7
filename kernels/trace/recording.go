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
	Unbegun   int       // processes whose file has not even its head: nobody knows whether they did something
	Unmade    []string  // those that could make no file, as each says it
	Unsaid    string    // why it is not known whether there are such; "" where it is
}

// NoRecording says that a directory has none.
type NoRecording struct {
	Dir string
	Why []string // there were processes, and nothing of any was recorded
}

func (e *NoRecording) Error() string {
	if len(e.Why) > 0 {
		return fmt.Sprintf("read the recording: %s has none: %s", e.Dir, strings.Join(e.Why, "; "))
	}
	return fmt.Sprintf("read the recording: %s has none: no process that was traced there used CUDA", e.Dir)
}

// ReadDir finds the processes of a recording; one whose file cannot be read is among them.
// The error is a *[NoRecording] where there are none.
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
			r.Unbegun++
			continue
		}
		if err != nil {
			p = unreadable(filepath.Join(dir, name), err)
		}
		r.Processes = append(r.Processes, p)
	}
	if r.Unmade, err = readUnmade(dir); err != nil {
		r.Unsaid = err.Error()
	}
	if len(r.Processes) == 0 {
		return r, &NoRecording{dir, r.missing()}
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

// unreadable is what the name of a file says of its process.
func unreadable(file string, why error) Process {
	p := Process{State: Unreadable, Why: why.Error(), file: strings.TrimSuffix(file, ".events")}
	_, _ = fmt.Sscanf(filepath.Base(p.file), "%d-%d", &p.PID, &p.Start) // another name says nothing
	if info, err := os.Lstat(file); err == nil {
		p.Began = info.ModTime()
	}
	return p
}

// missing says of which processes nothing is counted, though they may have used CUDA.
func (r Recording) missing() (list []string) {
	for _, p := range r.Processes {
		if p.State == Unreadable {
			list = append(list, fmt.Sprintf("process %d (%s): its recording cannot be read: %s", p.PID, cmp.Or(p.Command, filepath.Base(p.file)), p.Why))
		}
	}
	if r.Unbegun > 0 {
		list = append(list, processes(r.Unbegun)+" made a file and recorded nothing: the disk was full, or it was killed")
	}
	for _, who := range r.Unmade {
		list = append(list, "process "+who+": it could make no file for what it asks")
	}
	if r.Unsaid != "" {
		list = append(list, "processes that could make no file, if there are some: where they say so cannot be read: "+r.Unsaid)
	}
	return list
}
