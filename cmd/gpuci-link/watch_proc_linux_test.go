package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// procfs is the kernel as /proc shows it.
type procfs struct {
	standIns string // a directory whose programs are not what their names say
}

// program is the base name of the executable; of a zombie, which has none, its
// comm, unless stand-ins go by the same names.
func (p procfs) program(pid int) (string, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	exe, err := readlink(dir + "/exe")
	switch {
	case err == nil && p.standIns != "" && strings.HasPrefix(exe, p.standIns+"/"):
		return "stand-in", nil
	case err == nil:
		return strings.TrimSuffix(filepath.Base(exe), " (deleted)"), nil
	}
	if p.standIns != "" {
		return "", err
	}
	comm, err := os.ReadFile(dir + "/comm")
	return strings.TrimSpace(string(comm)), err
}

// readlink is a raw call for the reason connector.read is one.
func readlink(path string) (string, error) {
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return "", err
	}
	var target [unix.PathMax]byte
	n, _, errno := unix.RawSyscall6(unix.SYS_READLINKAT, uintptr(unix.AT_FDCWD&(1<<32-1)),
		uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(&target[0])), uintptr(len(target)), 0, 0)
	if errno != 0 {
		return "", errno
	}
	return string(target[:n]), nil
}

func (procfs) now() uint64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // cannot fail
	return uint64(now.Nano())
}

// over looks at the first thread, and only if that has ended at the others,
// which may still work: the watcher has no time to lose.
func (p procfs) over(pid int) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if !ended(pid, filepath.Join(dir, "stat")) {
		return false
	}
	tasks, _ := os.ReadDir(filepath.Join(dir, "task"))
	return !slices.ContainsFunc(tasks, func(task os.DirEntry) bool {
		return !ended(pid, filepath.Join(dir, "task", task.Name(), "stat"))
	})
}

// ended says of a thread that it is gone, a zombie, or on its way out and has
// given up its memory and its files (proc_pid_stat(5): state is field 3, vsize
// field 23).
func ended(pid int, stat string) bool {
	text, err := os.ReadFile(stat)
	if err != nil {
		return true
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if fields[0] == "Z" || fields[0] == "X" {
		return true
	}
	if fields[23-3] != "0" {
		return false
	}
	fds, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	return err != nil || len(fds) == 0
}
