package trace

import "fmt"

// sound says whether what was recorded is all there was.
func (r Recording) sound() error {
	switch {
	case len(r.Unmade) > 0:
		return &Uncounted{"process " + r.Unmade[0] + ": it could make no file for what it asks", "let it write to the run's directory (is it another user's, or a container's?), and make room on the disk"}
	case r.Unsaid != "":
		return &Uncounted{"whether each process could make a file cannot be read: " + r.Unsaid, "run it again"}
	case r.Unbegun > 0:
		return &Uncounted{processes(r.Unbegun) + " made a file and recorded nothing: the disk was full, or it was killed", "make room on the disk; the log may say what ended it"}
	}
	used := false
	for _, p := range r.Processes {
		who := fmt.Sprintf("process %d (%s)", p.PID, p.Command)
		switch {
		case p.State == Refused:
			return &Uncounted{fmt.Sprintf("%s was not counted: %s", who, p.Why), "install CUPTI (python3 -m pip install nvidia-cuda-cupti, or the CUDA toolkit's), and let no other profiler run in the program"}
		case p.State == Unreadable:
			return unreadableProcess(p.PID, p.Why)
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

func unreadableProcess(pid int, why string) error {
	return &Uncounted{fmt.Sprintf("the recording of process %d cannot be read: %s", pid, why), "run it again; gpuci trace report counts the other processes"}
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
