package device_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
	"gpuci/reaper/proc"
)

// TestHungDriver is field case 17: a driver or an nvidia-smi that hangs, and ignores
// SIGTERM, is Unknown after the limit, nothing is left of it, and a later look works.
func TestHungDriver(t *testing.T) {
	for _, by := range []string{"nvml", "nvidia-smi"} {
		t.Run(by, func(t *testing.T) {
			box := devicetest.Start(t)
			o := box.Options()
			o.First, o.Next, o.Ask = 300*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond
			box.Write("hang DeviceGetCount_v2", "hang smi")
			if by == "nvidia-smi" {
				box.NoLibrary()
				o.First = time.Minute
			}
			s := open(t, o)
			l := look(t, s, nil)
			if !strings.Contains(l.Silent, "the driver does not answer") || len(l.Cards) != 1 || l.Cards[0].Bus != "0000:18:00.0" {
				t.Errorf("a look at a driver that hangs: %+v", l)
			}
			want(t, l.Cards[0], device.Unknown, "no answer")
			if _, err := device.Choose(l, device.Need{}, device.Choice{}); !errors.Is(err, device.ErrSilent) {
				t.Errorf("cards are chosen of a silent driver: %v", err)
			}
			for range 3000 { // SIGKILL is sent; a busy machine takes its time
				if len(running(t, box)) == 0 {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			if left := running(t, box); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	box := devicetest.Start(t)
	o := box.Options()
	s := open(t, o)
	box.Write("hang DeviceGetCount_v2")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Look(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a look that was broken off: %v", err)
	}
}

// running are the processes that were started with this box in their environment,
// the guests aside.
func running(t *testing.T, box *devicetest.Box) (list []string) {
	t.Helper()
	table, err := proc.Real.Table()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range table {
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.PID))
		if err == nil && strings.Contains(string(env), "NVML_STANDIN="+box.State()) && !s.Zombie() {
			list = append(list, fmt.Sprintf("%d %s", s.PID, s.Comm))
		}
	}
	return list
}

// TestChildEndsWithUs: the child does not outlive its source, nor a parent that is
// killed while the driver hangs (its stdin ends).
func TestChildEndsWithUs(t *testing.T) {
	box := devicetest.Start(t)
	s := open(t, box.Options())
	if len(running(t, box)) != 1 {
		t.Fatalf("one child should run: %v", running(t, box))
	}
	pid, name, _ := strings.Cut(running(t, box)[0], " ")
	if name != device.Child {
		t.Errorf("the child is called %q", name)
	}
	limits, err := os.ReadFile("/proc/" + pid + "/limits")
	for line := range strings.Lines(string(limits)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Max data size") && f[3] == "unlimited" {
			t.Errorf("the child may take all memory: %s", line)
		}
	}
	if err != nil {
		t.Error(err)
	}
	s.Close()
	if left := running(t, box); len(left) > 0 {
		t.Errorf("after Close: %v", left)
	}
	if _, err := s.Look(t.Context(), nil); err == nil {
		t.Error("a closed source answers")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	box.Write("hang Init_v2")
	child := &exec.Cmd{Path: exe, Args: []string{device.Child}, Env: box.Options().Env}
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, `{"id":1,"library":%q}`+"\n", box.Options().Library)
	in.Close()
	if err := child.Wait(); err != nil {
		t.Errorf("the child of a parent that is gone: %v", err)
	}
}

// TestDeadChild: a library that ends its process does not end ours; nvidia-smi
// answers in its place.
func TestDeadChild(t *testing.T) {
	box := devicetest.Start(t)
	o := box.Options()
	o.Program = "/bin/false"
	if l := look(t, open(t, o), nil); l.Source != "nvidia-smi" || l.Silent != "" || len(l.Cards) != 1 {
		t.Errorf("without a child: %+v", l)
	}
	box.NoSMI()
	box.Write("crash DeviceGetCount_v2")
	l := look(t, open(t, box.Options()), nil)
	if !strings.Contains(l.Silent, "SIGSEGV") || strings.Contains(l.Silent, "0x") {
		t.Errorf("of a library that crashes: %q", l.Silent)
	}
	l = look(t, open(t, o), nil)
	if !strings.Contains(l.Silent, "the child that asks the driver died") || !strings.Contains(l.Silent, "no nvidia-smi") {
		t.Errorf("without both: %q", l.Silent)
	}
}
