package gates

import (
	"bytes"
	"io"
	"os"
)

// tailSize is how much of the end of a log is looked at for a reason.
const tailSize = 4 << 10

// hint says what a command may have missed that failed: a gate's commands have
// an empty standard input and no terminal.
func (f *flow) hint(log string) {
	switch tail, err := readTail(log); {
	case err != nil:
	case len(tail) == 0:
		f.next("it printed nothing; if it waits for input: its standard input is empty (/dev/null) and it has no terminal")
	case bytes.Contains(tail, []byte("/dev/tty")):
		f.next("it asked for a terminal, and a gate's command has none: give it what it asks for by a file, an argument or `env`")
	}
}

func readTail(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > tailSize {
		if _, err := file.Seek(-tailSize, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(file, tailSize))
}
