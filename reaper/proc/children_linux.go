package proc

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// children returns the direct children of this process: what it started and
// what was handed to it as the subreaper. The kernel keeps a list per thread
// (CONFIG_PROC_CHILDREN); where it does not, all processes are read. It is not
// whole when a thread has ended meanwhile: its children went to another one,
// which may have been read already.
func children() (pids []int, whole bool) {
	self := os.Getpid()
	d, err := Real.process(self)
	if err != nil {
		return nil, false
	}
	defer d.close()
	before, err := d.threads()
	if err != nil {
		return nil, false
	}
	whole = true
	for _, tid := range before {
		list, err := d.childrenOf(tid)
		switch {
		case err == nil:
			pids = append(pids, list...)
		case whole && tid == self: // the first thread is there as long as we are
			return childrenByTable(self)
		default:
			whole = false
		}
	}
	after, err := d.threads()
	if err != nil {
		return pids, false
	}
	there := make(map[int]bool, len(after))
	for _, tid := range after {
		there[tid] = true
	}
	for _, tid := range before {
		whole = whole && there[tid]
	}
	return pids, whole
}

// threads lists the ids of a process's threads.
func (d dir) threads() ([]int, error) {
	tasks, err := d.below("task")
	if err != nil {
		return nil, err
	}
	defer tasks.close()
	ids, _, err := tasks.numbers(0)
	return ids, err
}

// childrenOf reads the list of one thread.
func (d dir) childrenOf(tid int) ([]int, error) {
	name := []byte("task/" + strconv.Itoa(tid) + "/children\x00")
	for size := 4 << 10; ; size *= 4 {
		data, err := d.wholez(name, make([]byte, size))
		if err != errLong {
			return fieldPIDs(data), err
		}
	}
}

// wholez reads a file that the kernel writes in more than one piece.
func (d dir) wholez(namez, buf []byte) ([]byte, error) {
	fd, errno := openatz(int(d), namez)
	if errno != 0 {
		return nil, gone(errno)
	}
	defer unix.Close(fd)
	for n := 0; ; {
		got, err := unix.Read(fd, buf[n:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, gone(err)
		case got == 0:
			return buf[:n], nil
		}
		if n += got; n == len(buf) {
			return nil, errLong
		}
	}
}

// fieldPIDs reads a list of pids, as in children and cgroup.procs. A 0 is one
// that our pid namespace does not have.
func fieldPIDs(data []byte) (out []int) {
	for field := range bytes.FieldsSeq(data) {
		if pid, ok := decimal(field); ok && pid > 0 {
			out = append(out, pid)
		}
	}
	return out
}

func childrenByTable(self int) (pids []int, whole bool) {
	table, err := Real.Table()
	for pid, s := range table {
		if s.PPID == self {
			pids = append(pids, pid)
		}
	}
	return pids, err == nil
}

// noChildren asks the kernel, which knows for certain: waitid(2) answers
// ECHILD when this process has no child at all. WNOWAIT leaves every exit
// status where it is.
func noChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD
}
