//go:build linux

package cuda_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// TestRun: the results, what was launched, and what kernels did that is wrong.
func TestRun(t *testing.T) {
	o := standin(t)
	for kernel, want := range map[string]struct {
		kind   launch.Kind
		memory string
	}{
		"scale": {}, "says": {}, // what a kernel prints is no answer
		"short":  {launch.Unwritten, "out[3]"},
		"past":   {launch.OutOfBounds, "out[6]"},
		"before": {launch.OutOfBounds, "out[-1]"},
		"spoil":  {launch.Rewritten, "in[1]"},
	} {
		r, err := program(t, o, whole).Run(t.Context(), scale(kernel))
		if err != nil {
			t.Errorf("%s: %v", kernel, err)
			continue
		}
		if got := r.Buffers["out"]; !slices.Equal(got[:3], []float32{3, 6, 9}) {
			t.Errorf("%s: out is %v", kernel, got)
		}
		if _, back := r.Buffers["in"]; back || len(r.Buffers) != 2 {
			t.Errorf("%s: %d buffers came back, want out and rest", kernel, len(r.Buffers))
		}
		if want := (launch.Count{Phase: "forward", Kernel: kernel, Times: 1}); len(r.Launches) != 1 || r.Launches[0] != want {
			t.Errorf("%s: launched %v, want %v", kernel, r.Launches, want)
		}
		switch {
		case want.kind == "" && len(r.Findings) > 0:
			t.Errorf("%s: findings %v, want none", kernel, r.Findings)
		case want.kind != "" && (len(r.Findings) != 1 || r.Findings[0].Kind != want.kind || r.Findings[0].Memory != want.memory || r.Findings[0].Count != 1):
			t.Errorf("%s: findings %v, want one %s at %s", kernel, r.Findings, want.kind, want.memory)
		}
	}
}

// TestRefused: each thing that cannot be done is one error that says what and which.
func TestRefused(t *testing.T) {
	o := standin(t)
	for name, c := range map[string]struct {
		cubin string
		spoil func(*launch.Job)
		code  cuda.Code
		says  string
	}{
		"an absent kernel":     {whole, func(j *launch.Job) { j.Launches[0].Kernel = "absent" }, cuda.NoEntry, "absent"},
		"another architecture": {"standin sm_80\nscale\n", nil, cuda.WrongArch, "sm_90"},
		"no cubin":             {"hello", nil, cuda.NoCubin, "k.sm_90.cubin"},
		"too many threads": {whole, func(j *launch.Job) {
			j.Launches[0].Kernel, j.Launches[0].Block = "fat", [3]int{512, 1, 1}
		}, cuda.TooMuch, "512 threads"},
		"too much memory": {whole, func(j *launch.Job) {
			j.Buffers[2].Count = 1 << 30
		}, cuda.OutOfMemory, "for rest"},
		"an argument too few": {whole, func(j *launch.Job) { j.Launches[0].Args = j.Launches[0].Args[:3] }, cuda.BadJob, "scale takes 4 arguments and is given 3"},
		"one of another size": {whole, func(j *launch.Job) { j.Launches[0].Args[1] = launch.I(1) }, cuda.BadJob, "argument 2 of scale has 8 bytes"},
		"an illegal address":  {whole, func(j *launch.Job) { j.Launches[0].Kernel = "trap" }, cuda.Crash, "trap"},
	} {
		job := scale("scale")
		if c.spoil != nil {
			c.spoil(&job)
		}
		_, err := program(t, o, c.cubin).Run(t.Context(), job)
		var e *cuda.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s and %q", name, err, c.code, c.says)
		}
	}
}

// TestNoDriver: without the library, and with one that finds no card, it is said why.
func TestNoDriver(t *testing.T) {
	o := standin(t, "STANDIN_INIT=100")
	if _, err := cuda.Ask(t.Context(), o); !errors.Is(err, cuda.ErrNoCard) || !strings.Contains(err.Error(), "CUDA_ERROR_NO_DEVICE") {
		t.Errorf("no card: %v", err)
	}
	if _, err := os.Stat("/proc/driver/nvidia"); err == nil {
		t.Log("a driver is here: a machine without its library is not shown")
	} else {
		o.Env = nil
		if _, err := cuda.Ask(t.Context(), o); !errors.Is(err, cuda.ErrNoCard) || !strings.Contains(err.Error(), "libcuda.so.1") {
			t.Errorf("no library: %v", err)
		}
	}
	o.Program += "-absent"
	if _, err := cuda.Ask(t.Context(), o); !errors.Is(err, cuda.ErrNoProgram) {
		t.Errorf("no program: %v", err)
	}
}

// TestEndless: a kernel that never ends is ended at the limit, with whoever asked, and
// when nobody reads the answers any more.
func TestEndless(t *testing.T) {
	o := standin(t)
	o.Limit = time.Second
	_, err := program(t, o, whole).Run(t.Context(), scale("endless"))
	var limit *cuda.LimitError
	if !errors.As(err, &limit) || !slices.Equal(limit.Kernels, []string{"endless"}) {
		t.Errorf("after the limit: %v", err)
	}
	fifo := filepath.Join(t.TempDir(), "ready")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	o = standin(t, "STANDIN_READY="+fifo)
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		ready(fifo)
		cancel(why)
	}()
	if _, err := program(t, o, whole).Run(ctx, scale("endless")); !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
	forgotten(t, o, fifo)
}

// ready returns when the kernel is running.
func ready(fifo string) {
	f, err := os.Open(fifo)
	if err == nil {
		_, _ = io.Copy(io.Discard, f)
		f.Close()
	}
}

// forgotten runs gpuci-cuda as one does that then is killed.
func forgotten(t *testing.T, o cuda.Options, fifo string) {
	r := cuda.RequestOf(scale("endless"))
	r.Cubins = []string{filepath.Join(t.TempDir(), "k.cubin")}
	if err := os.WriteFile(r.Cubins[0], []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), o.Program)
	cmd.Env, cmd.Stdin = o.Env, bytes.NewReader(text)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready(fifo)
	out.Close()
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("without a reader it ended as %v, want exit status 1", err)
	}
}

// TestMeasure: allocations, times of phases and kernels, a copy, and whether what was
// timed was computed.
func TestMeasure(t *testing.T) {
	o := standin(t)
	job := scale("scale")
	back := job.Launches[0]
	back.Phase = "backward"
	job.Launches = append(job.Launches, back)
	timing := &cuda.Timing{WarmUps: 1, Samples: 5, Copies: 3, Copy: 1 << 20}
	m, err := program(t, o, whole).Measure(t.Context(), job, timing, "out")
	if err != nil {
		t.Fatal(err)
	}
	if want := (cuda.Memory{Allocations: 3, Bytes: 40, High: 40}); m.Memory != want {
		t.Errorf("memory %+v, want %+v", m.Memory, want)
	}
	if m.Device.Arch != "sm_90" || m.Device.Driver != "13.0" || m.Device.UUID != "GPU-11111111-1111-1111-1111-111111111111" {
		t.Errorf("device %+v", m.Device)
	}
	if m.Equal != 3 || len(m.Result.Buffers) != 1 || m.Copied == nil || m.Copied.Bytes != 1<<20 || len(m.Copied.Samples) != 5 {
		t.Errorf("rechecked %d of 3, %d buffers, copy %+v", m.Equal, len(m.Result.Buffers), m.Copied)
	}
	var parts []string
	for _, x := range m.Times {
		parts = append(parts, x.Phase+"/"+x.Kernel)
		if len(x.Samples) != 5 || slices.ContainsFunc(x.Samples, func(ms float64) bool { return ms < 0 }) {
			t.Errorf("%s: samples %v", x.Phase, x.Samples)
		}
	}
	if want := []string{"forward/", "backward/", "forward/scale", "backward/scale"}; !slices.Equal(parts, want) {
		t.Errorf("times of %v, want %v", parts, want)
	}
	if m, err = program(t, o, whole).Measure(t.Context(), scale("unstable"), timing, "out"); err != nil || m.Equal != 0 {
		t.Errorf("results that change are rechecked as %d equal, %v", m.Equal, err)
	}
}
