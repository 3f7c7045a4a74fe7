package trace

import (
	"fmt"
	"os"
	"strings"
)

// sound says whether what was recorded is all there was.
func (r Recording) sound() error {
	switch n, err := r.unbegun(); {
	case err != nil:
		return fmt.Errorf("read the recording: %w", err)
	case n > 0:
		return &Uncounted{processes(n) + " made a file and recorded nothing: the disk was full, or it was killed", "make room on the disk; the log may say what ended it"}
	}
	used := false
	for _, p := range r.Processes {
		who := fmt.Sprintf("process %d (%s)", p.PID, p.Command)
		switch {
		case p.State == Refused:
			return &Uncounted{fmt.Sprintf("%s was not counted: %s", who, p.Why), "install CUPTI (python3 -m pip install nvidia-cuda-cupti, or the CUDA toolkit's), and let no other profiler run in the program"}
		case p.Dropped > 0:
			return &Uncounted{fmt.Sprintf("of %s %d calls were lost: %s", who, p.Dropped, p.Why), "make room on the disk, or let it do less"}
		case p.State == Attached && p.Why != "":
			return &Uncounted{fmt.Sprintf("of %s not all was recorded: %s", who, p.Why), "make room on the disk, or let it do less"}
		}
		used = used || p.State == Attached
	}
	if !used {
		return &Uncounted{"no process of it used CUDA, or it lost the environment (sudo, a container, env -i)", "is the program one that uses CUDA? gpuci doctor says whether there is a driver (libcuda.so.1)"}
	}
	return nil
}

// unbegun is of how many processes there is a file that has not even its head: whether
// they did something nobody knows.
func (r Recording) unbegun() (n int, err error) {
	entries, err := os.ReadDir(r.Dir)
	for _, e := range entries {
		n += count(strings.HasSuffix(e.Name(), ".events"))
	}
	return n - len(r.Processes), err
}

// stepsBack says that the numbers of lines that end a step go back other than to begin
// again: what stands between two of them is then no step.
func stepsBack(lines []Line) error {
	if len(lines) == 0 {
		return nil
	}
	least, last := lines[0].Step, lines[0].Step
	for _, l := range lines {
		if l.Step < last && l.Step > least {
			return &Uncounted{
				fmt.Sprintf("its steps go back from %d to %d: what is between two lines is no step", last, l.Step),
				"let one process alone print the lines of its steps, or tell them by an NVTX range (range)",
			}
		}
		least, last = min(least, l.Step), l.Step
	}
	return nil
}
