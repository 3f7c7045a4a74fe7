package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/kda"
	"gpuci/kernels/launch"
	"gpuci/kernels/simt"
)

// The test binary plays gpuci-cuda and compute-sanitizer, where there is no card for the
// real ones: it speaks their languages and runs the kernels on the host. That is for the
// checks; the real gpuci-cuda is tested in package cuda.
const (
	playDir  = "GPUCI_TEST_CARD"   // where package simt keeps what it has built: what plays is told by it
	playCase = "GPUCI_TEST_PLAYED" // what is to go wrong
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(playDir); dir != "" {
		os.Exit(play(dir, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func play(dir string, args []string) int {
	var r cuda.Request
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		return 64
	}
	out := json.NewEncoder(os.Stdout)
	say := func(a cuda.Answer) { _ = out.Encode(a) }
	say(cuda.Answer{Type: "device", Device: &cuda.Device{Name: "Played card", UUID: "GPU-0", Arch: "sm_90", Driver: "13.0"}})
	if r.Ask {
		say(cuda.Answer{Type: "done"})
		return 0
	}
	job, err := r.Job()
	if err == nil {
		err = played(dir, args, r, job, say)
	}
	if err != nil {
		say(cuda.Answer{Type: "error", Code: cuda.Crash, Text: err.Error()})
		return 1
	}
	say(cuda.Answer{Type: "done"})
	return 0
}

// played runs a job on the host, in the mode that sees what the tool would.
func played(dir string, args []string, r cuda.Request, job launch.Job, say func(cuda.Answer)) error {
	mode, report := simt.Plain, ""
	if len(args) > 0 && args[0] == "--tool" {
		mode, report = simt.Check, args[3]
		if args[1] == string(cuda.Memcheck) {
			mode = simt.Address
		}
	}
	var sources []string
	for _, c := range r.Cubins {
		stem, _, _ := strings.Cut(filepath.Base(c), ".")
		source := filepath.Join(shipped, stem+".cu")
		if stem+".cu" == CanaryFile {
			source = CanaryFile
		}
		sources = append(sources, source)
	}
	p, err := simt.Build(context.Background(), simt.Options{Sources: sources, Mode: mode, Dir: dir})
	if err != nil {
		return err
	}
	if job.Launches[0].Kernel == canaryOf[cuda.Synccheck] { // which the host lets pass, as a card does
		job.Launches[0].Kernel = "canary_divergent_barrier"
	}
	result, err := p.Run(context.Background(), job)
	if err != nil {
		return err
	}
	if report != "" {
		if os.Getenv(playCase) == "no-report" {
			return nil
		}
		return os.WriteFile(report, []byte(reportOf(cuda.Tool(args[1]), result.Findings)), 0o666)
	}
	for _, c := range result.Launches {
		say(cuda.Answer{Type: "launched", Count: &c})
	}
	for name, data := range result.Buffers {
		if os.Getenv(playCase) == "unstable" && name == "d_k" {
			data[3] = float32(os.Getpid())
		}
		if len(r.Return) == 0 || slices.Contains(r.Return, name) {
			say(cuda.Answer{Type: "buffer", Buffer: &cuda.Buffer{Name: name, Count: len(data), Bits: cuda.Bits(data)}})
		}
	}
	say(cuda.Answer{Type: "memory", Memory: &cuda.Memory{Allocations: len(job.Buffers), Bytes: 1 << 20, High: 1 << 20}})
	if r.Timing == nil {
		return nil
	}
	for i, phase := range []string{"forward", "backward"} {
		ms := float64(i + 1)
		say(cuda.Answer{Type: "times", Times: &cuda.Times{Phase: phase, Samples: []float64{ms, 3 * ms, 2 * ms}}})
	}
	say(cuda.Answer{Type: "copy", Copy: &cuda.Copy{Bytes: 1e9, Samples: []float64{0.5, 0.5}}})
	equal := r.Timing.Copies
	if os.Getenv(playCase) == "unequal" {
		equal--
	}
	say(cuda.Answer{Type: "rechecked", Equal: &equal})
	return nil
}

// reportOf are findings as compute-sanitizer reports them, those that the tool is there
// for.
func reportOf(tool cuda.Tool, list []launch.Finding) string {
	words := map[launch.Kind]string{
		launch.Race: "Error: Race reported between Write access", launch.Uninitialised: "Uninitialized __global__ memory read of size 4 bytes",
		launch.OutOfBounds: "Invalid __global__ read of size 4 bytes", launch.DivergentBarrier: "Barrier error detected. Divergent thread(s) in block",
	}
	text, n := "========= COMPUTE-SANITIZER\n", 0
	for _, f := range list {
		if f.Kind == tool.Sees() {
			n++
			text += fmt.Sprintf("========= %s\n=========     at %s+0x10 in %s:%d\n=========\n", words[f.Kind], f.Kernel, f.File, f.Line)
		}
	}
	if tool == cuda.Racecheck {
		return text + fmt.Sprintf("========= RACECHECK SUMMARY: %d hazards displayed (%d errors, 0 warnings)\n", n, n)
	}
	return text + fmt.Sprintf("========= ERROR SUMMARY: %d errors\n", n)
}

// card is the backend that is played, on what the host backend has built.
func card(t *testing.T, h Host, goesWrong string) *CUDA {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &CUDA{Sources: shipped, Options: cuda.Options{Program: self, Sanitizer: self, Dir: t.TempDir(),
		Env: append(os.Environ(), playDir+"="+h.Dir, playCase+"="+goesWrong)}}
	for _, name := range []string{"kda_forward", "kda_bk2", "kda_bk1", "kda_fast_forward", "kda_fast_bk2", "kda_fast_bk1", "kda_ops", "newton_schulz", "rmsnorm", "canary"} {
		m := cuda.Cubin{Path: name + ".sm_90.cubin", Arch: "sm_90", Toolkit: "13.0"}
		for _, kernel := range kernelsOf(t, name) {
			m.Kernels = append(m.Kernels, cuda.Kernel{Name: kernel})
		}
		c.Cubins = append(c.Cubins, m)
	}
	return c
}

// entries are kernels by their names.
var entries = regexp.MustCompile(`extern "C" __global__ void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(`)

// kernelsOf are the names of kernels in a source.
func kernelsOf(t *testing.T, stem string) (names []string) {
	t.Helper()
	path := filepath.Join(shipped, stem+".cu")
	if stem+".cu" == CanaryFile {
		path = CanaryFile
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range entries.FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}

// onCard: every check that runs on a card, with what its witness counts there, and with
// what makes each of them fail.
func onCard(t *testing.T, h Host) {
	run := func(c *CUDA, cases, check string) (Report, error) {
		list, err := Named([]string{check})
		if err != nil {
			t.Fatal(err)
		}
		reports, err := Run(t.Context(), Options{Checks: list, Backends: c, Cases: []string{cases}, Fixture: committed, model: smallModel()})
		if err != nil {
			return Report{}, err
		}
		return reports[0], nil
	}
	for _, c := range []struct{ check, cases, witness string }{
		{"fused-adjoint", "mild-2", "cases=1/1 compared=16768 nan=0 path=fused runs=2 forward-launches=2 backward-launches=4 ops-launches=0 repeats=2"},
		{"fused-launches", "moderate-4", "cases=1/1 path=fused runs=1 forward-launches=1 backward-launches=2 ops-launches=0"},
		{"ns-batched", "low", "cases=1/1 compared=924 nan=0 runs=2 launches=2 repeats=2"},
		{"rmsnorm", "short", "cases=1/1 compared=142 nan=0 runs=2 launches=8 repeats=2"},
		{"fused-sanitize", "one-past", "cases=4/4 tools=4 canaries=4/4 path=none"},
		{"fused-alloc", "small", "cases=1/1 path=fused runs=1 forward-launches=1 backward-launches=2 ops-launches=0"},
		{"fused-time", "small", "cases=1/1 path=mixed runs=2 forward-launches=1 backward-launches=2 ops-launches="},
	} {
		r, err := run(card(t, h, ""), c.cases, c.check)
		if err != nil {
			t.Errorf("%s: %v", c.check, err)
			continue
		}
		j := r.Judge()
		if len(j.Crossed)+len(j.Unknown) > 0 {
			t.Errorf("%s\n%s", r.Text(), j.Text())
		}
		if want := "kda-verify check=" + c.check + " backend=cuda compiler=nvcc-13.0 " + c.witness; !strings.HasPrefix(r.Witness(), want) || !strings.Contains(r.Witness(), " card=Played-card arch=sm_90 driver=13.0") {
			t.Errorf("witness %s\nwant    %s", r.Witness(), want)
		}
		if c.check == "fused-time" {
			timesHold(t, r)
		}
	}
	for check, c := range map[string]struct{ cases, wrong, says string }{
		"fused-adjoint": {"mild-2", "unstable", "repeat-differences"},
		"fused-time":    {"small", "unequal", "recheck-differences is 2"},
	} {
		r, err := run(card(t, h, c.wrong), c.cases, check)
		if err != nil || !strings.Contains(strings.Join(r.Judge().Crossed, "\n"), c.says) {
			t.Errorf("%s with %s: %v\n%s", check, c.wrong, err, r.Judge().Text())
		}
	}
	if _, err := run(card(t, h, "no-report"), "one-past", "fused-sanitize"); !errors.As(err, new(*cuda.ReportError)) {
		t.Errorf("without a report: %v", err)
	}
	if _, err := run(card(t, h, ""), "one-past", "fused-race"); !errors.As(err, new(*ElsewhereError)) {
		t.Errorf("a check of the host: %v", err)
	}
}

// smallModel stands for the shape that times are quoted for.
func smallModel() []kda.Case {
	return []kda.Case{{Name: "small", Family: kda.Mild, Shape: shape(32, 20, 12, 16)}}
}

// timesHold: medians, spreads and rates of the samples that were played.
func timesHold(t *testing.T, r Report) {
	t.Helper()
	for name, want := range map[string]string{
		"forward-ms": "2", "backward-ms": "4", "ops-backward-ms": "4", "backward-spread": "0.8", "backward-over-ops": "1",
		copyName: "4000", recheckName: "0",
	} {
		i := slices.IndexFunc(r.Numbers, func(n Number) bool { return n.Name == name })
		if i < 0 || r.Numbers[i].Value.String() != want {
			t.Errorf("%s is not %s in %v", name, want, r.Numbers)
		}
	}
}

// TestNoCard: without a program or a card nothing is run, and it is said why.
func TestNoCard(t *testing.T) {
	c := &CUDA{Options: cuda.Options{Program: "/absent/gpuci-cuda"}}
	_, err := Run(t.Context(), Options{Checks: On(OnCUDA), Backends: c, Fixture: committed})
	if !errors.Is(err, cuda.ErrNoProgram) {
		t.Errorf("%v", err)
	}
	for _, backend := range []string{OnHost, OnCUDA} {
		for _, check := range On(backend) {
			if check.Only != "" && check.Only != backend {
				t.Errorf("%s is of %s, and is among those of %s", check.Name, check.Only, backend)
			}
		}
	}
}
