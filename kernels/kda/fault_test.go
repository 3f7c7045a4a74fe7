package kda

import (
	"bytes"
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// visible is the least relative move that counts as seeing a fault: a hundred
// times the bar that the oracle holds the adjoint to.
const visible = 100 * adBar

// TestFaults plants each fault of the table in a copy of the chunk form's
// source, builds all copies into one program, and runs them on the oracle's
// own cases. The shipped code has no switch for faults, and the oracle is
// shown to see every one of them, in the tensors that the table says and in no
// others.
func TestFaults(t *testing.T) {
	cases := elementwiseCases()
	clean := make([]Leaves, len(cases))
	problems := make([]Problem, len(cases))
	for i, c := range cases {
		p := must(c.Problem())(t)
		problems[i] = *p
		clean[i] = must(ChunkBackward(p, must(ChunkForward(p))(t)))(t).Grad
	}
	planted := runFaults(t, problems)
	if len(planted) != len(faults())+1 {
		t.Fatalf("%d copies answered, want %d faulted ones and an untouched one", len(planted), len(faults()))
	}
	for _, f := range append(faults(), untouched()) {
		t.Run(strings.ReplaceAll(f.name, " ", "-"), func(t *testing.T) {
			moves := map[string]map[string]float64{}
			for i, c := range cases {
				moves[c.Name] = movesOf(t, &problems[i], &planted[f.name][i], &clean[i])
			}
			f.judge(t, moves)
		})
	}
}

// movesOf is how far each gradient is from the clean one.
func movesOf(t *testing.T, p *Problem, got, clean *Leaves) map[string]float64 {
	t.Helper()
	moves := map[string]float64{}
	for _, r := range must(CompareGradients(p, got, clean))(t) {
		if r.NaNs > 0 {
			t.Errorf("fault makes %v", r)
		}
		moves[strings.ReplaceAll(r.Term, "_", "")] = r.MaxRel
	}
	return moves
}

func elementwiseCases() []Case {
	var small []Case
	for _, c := range Cases() {
		if c.Directions == 0 {
			small = append(small, c)
		}
	}
	return small
}

// runFaults builds one program of an untouched and all faulted copies, gives
// it the problems, and returns each copy's gradients by the fault's name.
func runFaults(t *testing.T, problems []Problem) map[string][]Leaves {
	t.Helper()
	dir := t.TempDir()
	copies := append(faults(), untouched())
	for i, f := range copies {
		f.plant(t, filepath.Join(dir, pkg(i)))
	}
	write(t, filepath.Join(dir, "go.mod"), "module planted\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), program(copies))
	build(t, dir)

	var in, out bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(problems); err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "planted"))
	run.Stdin, run.Stdout, run.Stderr = &in, &out, os.Stderr
	if err := run.Run(); err != nil {
		t.Fatalf("run faulted copies: %v", err)
	}
	answers := map[string][]Leaves{}
	if err := gob.NewDecoder(&out).Decode(&answers); err != nil {
		t.Fatalf("read gradients of faulted copies: %v", err)
	}
	return answers
}

// build compiles the program. Paths are trimmed so that unchanged copies come
// from the build cache whatever the temporary directory is called.
func build(t *testing.T, dir string) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs go")
		}
		t.Skip("needs go")
	}
	cmd := exec.CommandContext(t.Context(), tool, "build", "-trimpath", "-o", "planted", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build faulted copies: %v\n%s", err, text)
	}
}

// plant writes the chunk form's source, and nothing of the sequential form,
// with the fault's one replacement into dir.
func (f fault) plant(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	planted := 0
	for _, name := range []string{"shape", "tensor", "leaves", "problem", "matrix", "forward", "backward", "adjoint"} {
		source, err := os.ReadFile(name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		if f.old != "" {
			planted += strings.Count(text, f.old)
			text = strings.ReplaceAll(text, f.old, f.new)
		}
		write(t, filepath.Join(dir, name+".go"), text)
	}
	if f.old != "" && planted != 1 {
		t.Fatalf("fault %q: its text stands in the source %d times, want once:\n%s", f.name, planted, f.old)
	}
	write(t, filepath.Join(dir, "probe.go"), probeSource)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
