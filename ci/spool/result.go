package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// Result is one that lies in the place. It was not looked into.
type Result struct {
	Cookie string
	Attempt
}

// Results lists the results of the night: one directory is read, whatever number of tasks
// there is. Of one task those of earlier attempts come first.
func (s *Spool) Results() (list []Result, err error) {
	d, err := os.Open(filepath.Join(s.night, "results"))
	if err != nil {
		return nil, fmt.Errorf("look for results: %w", err)
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look for results: %w", err)
	}
	for _, name := range names {
		cookie, rest, ok := strings.Cut(name, ".")
		rest, is := strings.CutSuffix(rest, ".json")
		a, valid := parseAttempt(rest)
		if ok && is && valid && cookieForm.MatchString(cookie) {
			list = append(list, Result{cookie, a})
		}
	}
	slices.SortFunc(list, func(a, b Result) int {
		if c := strings.Compare(a.Cookie, b.Cookie); c != 0 {
			return c
		}
		return a.Restart - b.Restart
	})
	return list, nil
}

func (s *Spool) result(cookie string, a Attempt) string {
	return filepath.Join(s.night, "results", cookie+"."+a.String()+".json")
}

// report is a result as a node writes it.
type report struct {
	Type   string `json:"type"` // always reportType
	Schema int    `json:"schema"`
	Cookie string `json:"cookie"`
	Attempt
	Order string    `json:"order"` // SHA-256 of the order
	Tree  string    `json:"tree"`  // of the content that was judged; "" where none was
	Node  string    `json:"node"`
	Ended time.Time `json:"ended"`
	Exit  int       `json:"exit"`

	Run   string   `json:"run,omitempty"`   // of the verdict; "" where there is none
	Files []file   `json:"files,omitempty"` // of the run's directory
	Notes []string `json:"notes,omitempty"`

	Stopped string        `json:"stopped,omitempty"`
	Failed  string        `json:"failed,omitempty"`
	Outcome gates.Outcome `json:"failed-outcome,omitempty"`
	Content bool          `json:"failed-content,omitempty"` // no task of this content can be run
	Next    string        `json:"next,omitempty"`
}

// file is one of a run's directory.
type file struct {
	Path   string `json:"path"` // with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	reportType   = "gpuci-result"
	reportSchema = 1
	maxReport    = 64 << 20 // bytes: a run with 100,000 files has 20 MiB
)

// Outcome is what a result says.
type Outcome struct {
	Verdict *gates.Verdict // recorded here, in the history and with its files; nil where there is none
	Stopped string         // the node was told to stop before there was a verdict, by this signal
	Failed  *executor.Loss // the node could not run the gate, and why: the content is another one, there is no room
	Exit    int            // of the task: what the scheduler says must be the same
	Node    string
	Ended   time.Time // by the node's clock
	Notes   []string  // what the node has to say of the checkout
}

// Read reads the result of an attempt without its verdict: nothing of it is recorded here
// before it is known that it counts. The errors are those of Take.
func (s *Spool) Read(t executor.Task, a Attempt) (Outcome, error) {
	r, err := s.readReport(t, a)
	return r.outcome(), err
}

// Take reads the result of an attempt and records its verdict. It can be done again. The
// error is an *executor.Loss where the result is torn, or of something else than the task;
// another one says that it could not be recorded here, and that it is to be tried again.
func (s *Spool) Take(t executor.Task, a Attempt) (Outcome, error) {
	r, err := s.readReport(t, a)
	if err != nil {
		return Outcome{}, err
	}
	out := r.outcome()
	if r.Run == "" || r.Failed != "" {
		return out, nil
	}
	dir := filepath.Join(s.task(t.Cookie), a.run())
	if err := s.place.checkFiles(dir, r.Files); errors.Is(err, fs.ErrNotExist) && s.mayCome(Result{t.Cookie, a}) {
		return Outcome{}, fmt.Errorf("take the result of gate %s: its files are not all there yet: %w", t.Gate.Name, err)
	} else if err != nil {
		return Outcome{}, torn(t, a, err)
	}
	v, err := gates.Import(gates.Importing{
		From: dir, State: s.o.State, History: s.o.Past, KeepRuns: s.o.KeepRuns, Note: s.o.Note,
		Run: r.Run, Gate: t.Gate.Name, Exit: r.Exit,
	})
	switch {
	case errors.Is(err, gates.ErrNoVerdict):
		return Outcome{}, torn(t, a, err)
	case err != nil:
		return Outcome{}, fmt.Errorf("take the result of gate %s from %s: %w", t.Gate.Name, r.Node, err)
	}
	if err := s.came(filepath.Join(v.Dir, "verdict.json")); err != nil {
		s.note("nodes are not told what came of gate %s: %v", t.Gate.Name, err)
	}
	s.compareClocks(v, r.Node, t.Cookie)
	out.Verdict = &v
	return out, nil
}

// compareClocks says where a node's clock is wrong by so much that its runs are not told
// of in the order in which they were: no run begins before it is handed over, or after its
// result is here.
func (s *Spool) compareClocks(v gates.Verdict, node, cookie string) {
	if ahead := time.Until(v.Started); ahead > time.Minute {
		s.note("the clock of %s is %s ahead: what came of gate %s there is held against nothing until then", node, ahead.Round(time.Second), v.Gate)
	}
	o, err := s.place.readOrder(s.task(cookie))
	if behind := o.At.Sub(v.Started); err == nil && behind > time.Minute {
		s.note("the clock of %s is %s behind: what came of gate %s there counts as older than it is", node, behind.Round(time.Second), v.Gate)
	}
}

// lateFiles is how long files of a result may be unseen: a network file system
// remembers for a minute or so that something was not there.
const lateFiles = 2 * time.Minute

// mayCome says that the files of a result were not missed for so long that they will not
// come any more. It goes by our own clock: the file server's may be another.
func (s *Spool) mayCome(r Result) bool {
	if s.missed[r].IsZero() {
		s.missed[r] = time.Now()
	}
	return time.Since(s.missed[r]) < lateFiles
}

// torn is the loss of a result that cannot be believed.
func torn(t executor.Task, a Attempt, err error) *executor.Loss {
	return &executor.Loss{
		Outcome: gates.Broken, Kind: "torn", Why: fmt.Sprintf("the result of job %s (attempt %d) cannot be believed: %v", a.Job, a.Restart+1, err),
		Next: []string{"is there space in the shared directory, and does anything else write there? then run it again"},
	}
}

// outcome is what a result says by itself.
func (r report) outcome() Outcome {
	out := Outcome{Stopped: r.Stopped, Exit: r.Exit, Node: r.Node, Ended: r.Ended, Notes: r.Notes}
	if r.Failed != "" {
		out.Failed = r.loss()
	}
	return out
}

// loss is why a node did not run the gate.
func (r report) loss() *executor.Loss {
	l := &executor.Loss{Outcome: r.Outcome, Kind: "failed", Why: fmt.Sprintf("on %s: %s", r.Node, r.Failed)}
	if r.Content {
		l.Kind = executor.KindContent
	}
	if r.Outcome != gates.Refused {
		l.Outcome = gates.Broken
	}
	if r.Next != "" {
		l.Next = []string{r.Next}
	}
	return l
}

// readReport reads a result, and says what keeps it from being one of this attempt at this
// task.
func (s *Spool) readReport(t executor.Task, a Attempt) (r report, err error) {
	if !cookieForm.MatchString(t.Cookie) {
		return r, fmt.Errorf("take a result: %q is no cookie", t.Cookie)
	}
	data, err := s.place.read(s.result(t.Cookie, a), maxReport)
	if err != nil && !errors.Is(err, ErrForeign) {
		return r, fmt.Errorf("take the result of gate %s: %w", t.Gate.Name, err)
	}
	order, orderErr := s.place.read(filepath.Join(s.task(t.Cookie), orderName), maxOrder)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	switch {
	case err != nil:
	case orderErr != nil:
		err = orderErr
	case r.Type != reportType || r.Schema != reportSchema:
		err = fmt.Errorf("it is of type %q, form %d", r.Type, r.Schema)
	case r.Cookie != t.Cookie || r.Attempt != a:
		err = fmt.Errorf("it is of attempt %s at task %s", r.Attempt, r.Cookie)
	case r.Order != sumOf(order):
		err = errors.New("it is of another order")
	case r.Run != "" && r.Tree != t.Head.Tree:
		err = fmt.Errorf("it is of the content %.10s, and not of %.10s", r.Tree, t.Head.Tree)
	}
	if err != nil {
		return report{}, torn(t, a, err)
	}
	return r, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// checkFiles holds a run's directory against what its node wrote.
func (p place) checkFiles(dir string, list []file) error {
	for _, want := range list {
		if !filepath.IsLocal(want.Path) {
			return fmt.Errorf("%q is no file of a run", want.Path)
		}
		f, err := p.open(filepath.Join(dir, filepath.FromSlash(want.Path)))
		if err != nil {
			return err
		}
		n, sum, err := measure(f)
		_ = f.Close()
		if err == nil && (n != want.Bytes || sum != want.SHA256) {
			err = fmt.Errorf("%s is not as its node wrote it", want.Path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
