package device

import (
	"strings"
	"sync"
)

// lastWords keeps the beginning and the end of what the child says on stderr. When the
// library crashes, Go tells why in the first lines, and registers in the last.
type lastWords struct {
	mu         sync.Mutex
	head, tail []byte
}

// wordsMax is how much of each is kept, in bytes.
const wordsMax = 2 << 10

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(len(p), wordsMax-len(w.head))
	w.head = append(w.head, p[:n]...)
	w.tail = append(w.tail, p[n:]...)
	w.tail = w.tail[max(0, len(w.tail)-wordsMax):]
	return len(p), nil
}

// crashes begin the lines in which Go's runtime says what ended a program.
var crashes = [...]string{"SIG", "[signal SIG", "panic: ", "fatal error: "}

// telling is the lines that say how it crashed, with what the library said just
// before, or else the last line.
func (w *lastWords) telling() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.FieldsFunc(strings.ToValidUTF8(string(w.head)+string(w.tail), "?"), func(r rune) bool { return r == '\n' || r == '\r' })
	var told []string
	for i, line := range lines {
		if !crashed(line) {
			continue
		}
		if len(told) == 0 && i > 0 {
			told = append(told, strings.TrimSpace(lines[i-1]))
		}
		told = append(told, strings.TrimSpace(line))
	}
	switch {
	case len(told) > 0:
		return strings.Join(told[:min(len(told), 3)], "; ")
	case len(lines) > 0:
		return strings.TrimSpace(lines[len(lines)-1])
	}
	return ""
}

func crashed(line string) bool {
	for _, c := range crashes {
		if strings.HasPrefix(line, c) {
			return true
		}
	}
	return false
}
