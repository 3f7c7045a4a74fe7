package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// maxMemory bounds what is taken of a command line or an environment. The
// kernel lets the two together have 6 MiB at most (three quarters of an 8 MiB
// stack, execve(2)), whatever ulimit -s says.
const maxMemory = 8 << 20

// attempts is how often a file that changes under the reader is read again. It
// changes when the process executes another program or renames itself; twice
// in two milliseconds happens, four times does not.
const attempts = 4

// ErrPartial says that a list could not be read whole. A process has none for as long
// as it takes to start a program, which may be seconds on a busy machine: who can
// wait reads again a little later, until it is whole or ErrGone.
var ErrPartial = errors.New("it was not read whole: the process is changing it, or has put part of it out of reach")

// Cmdline reads the argument list of a process, within the deadline that ctx
// must have. A kernel thread has none, which is no error.
//
// The kernel takes it out of the target's memory and locks that, and somebody
// stuck in D can hold the lock for as long as a disk or a server likes. So the
// read is done by a child process that is given up at the deadline; see
// HungError. A list is returned whole or not at all.
func (r Root) Cmdline(ctx context.Context, pid int) ([]string, error) {
	return r.memory(ctx, pid, "cmdline")
}

// Environ reads the environment a process was started with, as "KEY=value",
// under the same rules as Cmdline. The error wraps fs.ErrPermission for other
// users' processes.
func (r Root) Environ(ctx context.Context, pid int) ([]string, error) {
	return r.memory(ctx, pid, "environ")
}

func (r Root) memory(ctx context.Context, pid int, file string) ([]string, error) {
	data, err := r.readMemory(ctx, pid, file)
	switch {
	case errors.Is(err, ErrGone):
		return nil, ErrGone
	case err != nil:
		return nil, fmt.Errorf("read %s of pid %d: %w", file, pid, err)
	}
	return splitNUL(data), nil
}

// readMemory reads one file until a reading can be vouched for.
func (r Root) readMemory(ctx context.Context, pid int, file string) ([]byte, error) {
	if _, ok := ctx.Deadline(); !ok {
		return nil, errors.New("the target may never answer: give a context with a deadline")
	}
	before, err := r.Stat(pid)
	switch {
	case err != nil:
		return nil, err
	case before.Zombie():
		return nil, ErrGone
	case before.Kernel:
		return nil, nil
	}
	for range attempts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		data, err := r.readTwice(ctx, pid, file)
		switch {
		case errors.Is(err, ErrPartial):
			continue
		case err != nil:
			return nil, err
		}
		if err = r.vouch(before, file, data); err == nil || !errors.Is(err, ErrPartial) {
			return data, err
		}
	}
	return nil, ErrPartial
}

// vouch looks at the process again after a reading. A process that ends gives
// up its memory before it shows as a zombie, one whose first thread alone has
// ended has none to show, one that is just starting a program has no list yet,
// and the kernel leaves out what the program has mapped a file over: none of
// that is an error to read.
func (r Root) vouch(before Stat, file string, data []byte) error {
	d, err := r.process(before.PID)
	if err != nil {
		return err
	}
	defer d.close()
	stat, err := d.read("stat", make([]byte, statMax))
	if err != nil {
		return err
	}
	after, err := ParseStat(stat)
	switch {
	case err != nil:
		return err
	case after.Start != before.Start, after.Zombie():
		return ErrGone
	}
	switch answer, err := d.program(); {
	case err != nil:
		return err
	case answer == None:
		return ErrGone
	}
	start, end := listBounds(stat, file)
	if !whole(data, start, end, file == "cmdline") || len(data) == 0 && beginning(stat) {
		return ErrPartial
	}
	return nil
}

// beginning says whether a process is just being given its program: the kernel has the
// two ends of each list at one address then, as of a list that is empty, and sets field
// 26 of proc_pid_stat(5), where the code begins, when they are done. It is 1 where it is
// not ours to see.
func beginning(stat []byte) bool {
	code, _ := addresses(stat, 26)
	return code == 0
}

// whole says whether data is all of a list between two addresses. A program
// that wrote a title over its arguments has that one string instead of them.
// Of another user's process the addresses are 0; its arguments then have to
// end as all do.
func whole(data []byte, start, end uint64, args bool) bool {
	switch {
	case start != 0 && uint64(len(data)) == end-start:
		return true
	case !args || len(data) == 0 || data[len(data)-1] != 0:
		return false
	}
	return start == 0 || bytes.IndexByte(data, 0) == len(data)-1
}

// listBounds are the addresses of a list in the process's memory, fields 48 to
// 51 of proc_pid_stat(5): 0 while a program is being started, and always where
// they are not ours to see.
func listBounds(stat []byte, file string) (start, end uint64) {
	if file == "environ" {
		return addresses(stat, 50) // env_start, env_end
	}
	return addresses(stat, 48) // arg_start, arg_end
}

// addresses are a field and the next one of proc_pid_stat(5).
func addresses(stat []byte, field int) (start, end uint64) {
	text := stat[bytes.LastIndexByte(stat, ')')+1:]
	var number []byte
	for n := 3; n <= field+1; n++ {
		number, text = cutField(text)
		start = end
		if end, _ = strconv.ParseUint(string(number), 10, 64); end == math.MaxUint64 {
			end = 0 // no number of the kernel's
		}
	}
	return start, end
}

// program says whether a process runs a program. It has memory for as long as
// it does.
func (d dir) program() (Answer, error) {
	if _, err := d.link("exe"); err != nil {
		p, err := d.absent("exe", err)
		return p.Answer, err
	}
	return Known, nil
}

// splitNUL takes a list of strings apart that end in NUL bytes each.
func splitNUL(data []byte) []string {
	if len(data) == 0 {
		return nil
	}
	var out []string
	for part := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte{0}), []byte{0}) {
		out = append(out, string(part))
	}
	return out
}
