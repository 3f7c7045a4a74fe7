package protected

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/reaper/proc"
)

// tailSize is how much is read of the end of a log, and of its beginning, in
// bytes: hundreds of lines.
const tailSize = 64 << 10

// lookedAt is how many of a run's processes are asked which log they have open.
const lookedAt = 64

// reading is what one look at a log gave.
type reading struct {
	path     string
	modified time.Time
	born     time.Time // zero where the file system does not tell
	marks    []mark    // of its end
	first    []mark    // of its beginning, where that is another part
}

// progress reads how far a run is. several says that the rule has other runs.
func (f *finder) progress(ctx context.Context, r Run, several bool) Progress {
	if r.Rule.Progress == "" || r.Rule.Log == "" {
		return Progress{Left: -1, Why: "its rule names no log and no progress"}
	}
	re := regexp.MustCompile(r.Rule.Progress) // Check has compiled it
	path, err := f.logOf(ctx, r, several)
	if err != nil {
		return Progress{Left: -1, Why: err.Error()}
	}
	in, err := readLog(path, re)
	if err != nil {
		return Progress{Left: -1, Log: path, Why: err.Error()}
	}
	return f.judge(r, in)
}

// logOf finds the log of a run: the one that a process of it has open, else the
// newest of those that fit.
func (f *finder) logOf(ctx context.Context, r Run, several bool) (string, error) {
	fixed := r.Rule.Log
	if at := strings.IndexAny(fixed, "*?[\\"); at >= 0 {
		fixed = fixed[:at]
	}
	if err := proc.Answers(ctx, []string{filepath.Dir(fixed)}); err != nil {
		return "", err
	}
	list, err := filepath.Glob(r.Rule.Log)
	if err != nil || len(list) == 0 {
		return "", fmt.Errorf("no log %s is there", r.Rule.Log)
	}
	open := f.openLogs(r, list)
	if len(open) > 0 {
		list = open
	} else if several {
		return "", errors.New("the rule has several runs, and which log is whose cannot be seen")
	}
	var newest string
	var at time.Time
	for _, path := range list {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !info.ModTime().Before(at) {
			newest, at = path, info.ModTime()
		}
	}
	switch {
	case newest == "":
		return "", fmt.Errorf("log %s cannot be looked at", list[0])
	case len(open) == 0 && !r.Since.IsZero() && at.Before(r.Since.Add(-time.Second)):
		return "", fmt.Errorf("its log %s was last written to before it started", newest)
	}
	return newest, nil
}

// openLogs are those of some files that a process of the run has open.
func (f *finder) openLogs(r Run, list []string) (out []string) {
	ids := make(map[string]string) // by where they lead
	for _, path := range list {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			ids[real] = path
		}
	}
	for _, pid := range r.PIDs[:min(len(r.PIDs), lookedAt)] {
		fds, _, _ := f.o.Proc.FDs(pid)
		for _, fd := range fds {
			if path, ok := ids[fd.Path]; ok && !fd.Deleted {
				out = append(out, path)
				delete(ids, fd.Path)
			}
		}
	}
	return out
}

// readLog reads the end of a log, and its beginning.
func readLog(path string, re *regexp.Regexp) (in reading, err error) {
	f, err := openRegular(path)
	if err != nil {
		return in, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return in, err
	}
	in.path, in.modified, in.born = path, info.ModTime(), bornOf(f)
	from := max(0, info.Size()-tailSize)
	tail, err := io.ReadAll(io.NewSectionReader(f, from, tailSize))
	if err != nil {
		return in, fmt.Errorf("read log: %w", err)
	}
	in.marks = parseMarks(tail, re, from > 0, in.modified)
	if from > 0 {
		head := make([]byte, min(from, tailSize))
		n, _ := f.ReadAt(head, 0)
		in.first = parseMarks(head[:n], re, false, in.modified)
	}
	return in, nil
}

// openRegular opens a file to be read, and never hangs on a FIFO.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return f, nil
}

// readHead reads at most so many bytes of a file.
func readHead(path string, limit int64) ([]byte, os.FileInfo, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return data, info, err
}

// bornOf is when a file was made, statx(2).
func bornOf(f *os.File) time.Time {
	var st unix.Statx_t
	err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, unix.STATX_BTIME, &st)
	if err != nil || st.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
}
