package spool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Attempt is one go of a job at a task: Slurm begins a job again under the same id.
type Attempt struct {
	Job     string `json:"job"`     // its id
	Restart int    `json:"restart"` // how often it was begun before: SLURM_RESTART_COUNT
}

// String is the attempt as the names of its files have it.
func (a Attempt) String() string { return fmt.Sprintf("%s.%d", a.Job, a.Restart) }

// attemptForm is what an attempt looks like in the name of a file.
var attemptForm = regexp.MustCompile(`^([A-Za-z0-9_-]{1,64})\.([0-9]{1,9})$`)

func parseAttempt(text string) (Attempt, bool) {
	m := attemptForm.FindStringSubmatch(text)
	if m == nil {
		return Attempt{}, false
	}
	n, _ := strconv.Atoi(m[2]) // nine digits at most
	a := Attempt{m[1], n}
	return a, a.String() == text
}

// Begun is an attempt that has begun on a node.
type Begun struct {
	Attempt
	Node string    `json:"node"`
	At   time.Time `json:"at"` // by the node's clock
	Dir  string    `json:"dir,omitempty"`
}

const (
	claimName = "claim.json" // which job has the task
	maxSmall  = 64 << 10     // bytes of a claim
)

func (a Attempt) begun() string { return "begun." + a.String() + ".json" }
func (a Attempt) log() string   { return "log." + a.String() }
func (a Attempt) run() string   { return "run." + a.String() }

// Begun lists the attempts at a task that have begun, in their order, the last one last.
// All are of one job: the one that has claimed the task. Of a task that is not there, and
// of one that nobody has begun, there are none.
func (s *Spool) Begun(cookie string) (list []Begun, err error) {
	if !cookieForm.MatchString(cookie) {
		return nil, fmt.Errorf("look for attempts: %q is no cookie", cookie)
	}
	entries, err := os.ReadDir(s.task(cookie))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for attempts at task %s: %w", cookie, err)
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), "begun.")
		name, is := strings.CutSuffix(name, ".json")
		a, valid := parseAttempt(name)
		if !ok || !is || !valid {
			continue
		}
		b := Begun{}
		data, err := s.place.read(filepath.Join(s.task(cookie), e.Name()), maxSmall)
		if errors.Is(err, ErrForeign) {
			continue
		}
		if err == nil {
			_ = json.Unmarshal(data, &b) // torn or not, it has begun
		}
		b.Attempt = a
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b Begun) int { return cmp.Or(cmp.Compare(a.Job, b.Job), a.Restart-b.Restart) })
	return list, nil
}

// Log is the file that the output of an attempt goes to as it comes. It need not be there
// yet.
func (s *Spool) Log(cookie string, a Attempt) string {
	return filepath.Join(s.task(cookie), a.log())
}

// maxTail is how much of a file is looked at for its last lines, in bytes.
const maxTail = 64 << 10

// Last are the last lines of what an attempt has said, its gate or gpuci itself: for a loss
// without a result.
func (s *Spool) Last(cookie string, a Attempt, lines int) []string {
	var all []string
	for _, name := range []string{a.log(), "job." + a.Job + ".out"} {
		f, err := s.place.open(filepath.Join(s.task(cookie), name))
		if err != nil {
			continue
		}
		all = append(all, tail(f, lines)...)
		_ = f.Close()
	}
	return all[max(0, len(all)-lines):]
}

// tail are the last lines of a file that are not empty.
func tail(f *os.File, lines int) (out []string) {
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, info.Size()-maxTail)
	data := make([]byte, info.Size()-from)
	n, _ := f.ReadAt(data, from) // a file that gets shorter gives less
	for line := range strings.Lines(strings.ToValidUTF8(string(data[:n]), "?")) {
		if line = strings.TrimRight(line, " \r\n"); line != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-lines):]
}
