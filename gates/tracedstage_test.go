package gates

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gpuci/gates/config"
	"gpuci/kernels/trace"
	"gpuci/kernels/trace/tracetest"
)

// injected is the library that traced runs load, compiled once in these tests.
var injected = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gpuci-traced-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := trace.Library(context.Background(), trace.LibraryOptions{Dir: dir})
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// tracedStage is a machine with a CUDA that is not there, and gates that are counted on it.
// It shows nothing of NVIDIA's.
type tracedStage struct {
	t     *testing.T
	box   *tracetest.Box
	root  string
	state string
	toml  string // of the gate, without its name and run
	opt   func(*Options)

	library string
}

func newTracedStage(t *testing.T, toml string) *tracedStage {
	s := &tracedStage{t: t, box: tracetest.Start(t, tracetest.Options{}), root: t.TempDir(), state: t.TempDir(), toml: toml}
	data, err := injected()
	if err != nil {
		t.Fatal(err)
	}
	s.library = filepath.Join(t.TempDir(), trace.LibraryName)
	if err := os.WriteFile(s.library, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// said checks an outcome of which nothing is owed, and texts in what the verdict says.
func said(t *testing.T, v Verdict, o Outcome, texts ...string) {
	t.Helper()
	wants(t, v, o, "", texts...)
}

// gate reads the gate as a user writes it, with a command of a shell.
func (s *tracedStage) gate(run string) config.Gate {
	s.t.Helper()
	path := filepath.Join(s.root, config.FileName)
	text := fmt.Sprintf("[[gate]]\nname = \"g\"\nreader = \"none\"\ngrace = \"1s\"\nrun = '''%s'''\n%s", run, s.toml)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	c, err := config.Load(config.Sources{Workspace: path, Machine: filepath.Join(s.root, "none"), Personal: filepath.Join(s.root, "none")})
	if err != nil {
		s.t.Fatal(err)
	}
	return c.Gates[0]
}

// run runs commands of a shell in which play SCRIPT plays lines of the stand-in's: again,
// where the machine was too busy to tell few steps apart.
func (s *tracedStage) run(text string, args ...string) (v Verdict) {
	s.t.Helper()
	for range 5 {
		v = s.once(text, args...)
		smeared := v.Outcome == Broken && strings.Contains(fmt.Sprint(v.Findings), "cannot be told apart")
		if !smeared && !strings.Contains(fmt.Sprint(v.Marks), "more cannot be told from those beside them") {
			break
		}
	}
	return v
}

func (s *tracedStage) once(text string, args ...string) Verdict {
	s.t.Helper()
	opt := Options{
		Gate: s.gate(text), Root: s.root, State: s.state, Version: "test", Args: args, Env: s.box.Env(),
		TraceLibrary: func(context.Context) (string, error) { return s.library, nil },
	}
	if s.opt != nil {
		s.opt(&opt)
	}
	return Run(s.t.Context(), opt)
}

// play is a command that plays lines.
func (s *tracedStage) play(lines ...string) string {
	s.t.Helper()
	return s.box.Program() + " " + s.box.Script(lines...)
}

// steps is a command that launches so many kernels in each of its steps, and goes on from
// one to the next when the line that ends it has been noted: on a busy machine a pause
// would not do. The one before the line keeps what it launched apart from the line.
func (s *tracedStage) steps(launches ...int) string {
	s.t.Helper()
	var each [][]string
	for _, n := range launches {
		each = append(each, slices.Repeat([]string{"launch kda_fast_forward 1 32"}, n))
	}
	return s.stepsOf(each...)
}

func (s *tracedStage) stepsOf(each ...[]string) string {
	s.t.Helper()
	lines := []string{"init"}
	for i, step := range each {
		lines = append(append(lines, step...), "sync", "sleep 20", fmt.Sprintf("say step %d own=%d", i, len(step)), "await")
	}
	const noted = `for i in $(seq 0 %d); do for n in $(seq 2000); do if grep -qs "\"step\":$i[,}]" $GPUCI_TRACE_DIR/steps.jsonl; then break; fi; sleep 0.02; done; echo; done | %s`
	return fmt.Sprintf(noted, len(each)-1, s.play(append(lines, "launch after 1 1")...))
}
