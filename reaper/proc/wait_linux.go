package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// WaitChannel names the kernel function a sleeping process waits in, from
// /proc/PID/wchan. It is "" when the process runs, and also when it is not
// ours to look at: the kernel answers "0" to both.
func (r Root) WaitChannel(pid int) (string, error) {
	text, err := r.small(pid, "wchan")
	if err != nil || text == "0" {
		return "", err
	}
	return text, nil
}

// KernelStack is the kernel's side of what a process is doing, innermost
// function first. The error wraps fs.ErrPermission for everybody but root, and
// fs.ErrNotExist where the kernel was built without.
func (r Root) KernelStack(pid int) ([]string, error) {
	text, err := r.small(pid, "stack")
	if err != nil {
		return nil, err
	}
	return parseStack(text), nil
}

// parseStack takes the functions out of lines like
// "[<0>] proc_pid_stack+0xb1/0x150".
func parseStack(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		_, name, ok := strings.Cut(strings.TrimSpace(line), "] ")
		if name, _, _ = strings.Cut(name, "+"); ok && name != "" {
			out = append(out, name)
		}
	}
	return out
}

// small reads a short file of a process as text.
func (r Root) small(pid int, name string) (string, error) {
	d, err := r.process(pid)
	if err != nil {
		return "", err
	}
	defer d.close()
	data, err := d.read(name, make([]byte, 16<<10))
	switch {
	case err == nil:
		return strings.TrimSpace(string(data)), nil
	case errors.Is(err, ErrGone):
		if _, err := d.stat(); err == nil {
			return "", fmt.Errorf("read %s of pid %d: %w", name, pid, fs.ErrNotExist)
		}
		return "", ErrGone
	}
	if gone := d.refused(err); errors.Is(gone, ErrGone) {
		return "", ErrGone
	}
	return "", fmt.Errorf("read %s of pid %d: %w", name, pid, err)
}
