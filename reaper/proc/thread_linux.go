package proc

import "strconv"

// headless says whether a process's first thread has ended while others run.
// /proc/PID then shows none of what the threads share, and its files are empty
// or refused; the directory of a thread that runs has it all.
func (d dir) headless() bool {
	s, err := d.stat()
	return err == nil && s.State == 'Z' && !s.Zombie()
}

// thread opens the directory of a thread that still runs.
func (d dir) thread() (dir, error) {
	tasks, err := d.below("task")
	if err != nil {
		return tasks, err
	}
	defer tasks.close()
	ids, _, err := tasks.numbers(0)
	if err != nil {
		return -1, err
	}
	for _, id := range ids {
		t, err := tasks.below(strconv.Itoa(id))
		if err != nil {
			continue
		}
		if s, err := t.stat(); err == nil && s.State != 'Z' && s.State != 'X' {
			return t, nil
		}
		t.close()
	}
	return -1, ErrGone
}
