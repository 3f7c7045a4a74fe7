package device_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

// open asks a stand-in driver through the real child, loader and go-nvml.
func open(t *testing.T, o device.Options) *device.Source {
	t.Helper()
	s, err := device.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func look(t *testing.T, s *device.Source, mine device.Mine) device.Look {
	t.Helper()
	l, err := s.Look(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// want holds a card against a state and a part of its reason.
func want(t *testing.T, c device.Seen, state device.State, why string) {
	t.Helper()
	if c.State != state || !strings.Contains(c.Why, why) {
		t.Errorf("the card is %s: %q; it should be %s: …%s…", c.State, c.Why, state, why)
	}
}

func pids(list ...int) device.Mine {
	return func(pid int) bool {
		for _, p := range list {
			if p == pid {
				return true
			}
		}
		return false
	}
}

// TestBusyCard is field case 14: a foreign process is named with pid, user, memory
// and command; ours alone leaves the card quiet; and both sources say so.
func TestBusyCard(t *testing.T) {
	for _, by := range []string{"nvml", "nvidia-smi"} {
		t.Run(by, func(t *testing.T) {
			box := devicetest.Start(t)
			if by == "nvidia-smi" {
				box.NoLibrary()
			}
			s := open(t, box.Options())
			l := look(t, s, nil)
			if l.Source != by || l.Driver != "580.159.04" || l.CUDA != "13.0" || len(l.Cards) != 1 {
				t.Fatalf("not what the box holds: %+v", l)
			}
			c := l.Cards[0]
			want(t, c, device.Quiet, "nobody is on it")
			if c.UUID != box.UUID(0) || c.Name != "NVIDIA H200" || c.SM() != 90 || c.Minor != 0 || c.Bus != "00000000:18:00.0" {
				t.Errorf("card: %+v", c.Card)
			}
			if c.Reserved.Value>>20 != 615 || c.Used.Value != 0 || c.Sample.SM.Value != 1980 || c.Sample.Temperature.Value != 31 || c.Sample.Power.Value != 76310 {
				t.Errorf("numbers: %+v %+v", c.Card, c.Sample)
			}
			guest := box.Guest(0, 8<<30)
			c = look(t, s, nil).Cards[0]
			want(t, c, device.Busy, fmt.Sprintf("pid %d (", guest.PID))
			want(t, c, device.Busy, "8.0 GiB, since ")
			if p := c.Foreign[0]; p.UID != os.Getuid() || p.Command != "cat" || !p.Holds || p.Start == 0 || p.Cwd == "" || p.Kind != "compute" {
				t.Errorf("the guest: %+v", p)
			}
			c = look(t, s, pids(guest.PID)).Cards[0]
			want(t, c, device.Quiet, "nobody is on it but us")
			if len(c.Own) != 1 || c.Unowned.Value != 0 {
				t.Errorf("own: %+v, unowned %s", c.Own, c.Unowned)
			}
			guest.End()
			want(t, look(t, s, nil).Cards[0], device.Quiet, "nobody")
		})
	}
}

// TestPidsOfAnotherNamespace is field case 16: what a container shows of processes
// outside. None of it is ever quiet.
func TestPidsOfAnotherNamespace(t *testing.T) {
	box := devicetest.Start(t)
	s := open(t, box.Options())
	inside := box.Bystander()
	card := func() device.Seen { return look(t, s, pids(inside.PID)).Cards[0] }

	box.Set("card 0 used 9000000000")
	want(t, card(), device.Unknown, "8.4 GiB of its memory are in use and no process that the driver lists has them")
	box.Set("card 0 used 60000000") // less than any context
	want(t, card(), device.Quiet, "nobody")
	box.Set("ghost 0 compute 2000000000 1000")
	want(t, card(), device.Unknown, "higher than any that this kernel gives")
	box.Set("ghost 0 compute 0 1000")
	want(t, card(), device.Unknown, "no pid")
	// The number of somebody outside is that of a process in here: once of a
	// stranger, and once of one of ours.
	box.Set(fmt.Sprintf("process 0 compute %d 1000", inside.PID))
	want(t, card(), device.Unknown, "has not the card's device file open")
	want(t, look(t, s, nil).Cards[0], device.Unknown, "has not the card's device file open")
	// One that is not there can have just died: that is to be looked at again.
	dead := box.Guest(0, 1<<30)
	dead.End()
	box.Set(fmt.Sprintf("ghost 0 compute %d 1073741824", dead.PID))
	c := card()
	want(t, c, device.Unknown, "has just died")
	if !c.Vanished() {
		t.Error("it does not say that looking again helps")
	}
	l, err := s.Settled(t.Context(), nil, []string{box.UUID(0)}, time.Millisecond)
	if err != nil || l.Cards[0].State != device.Unknown {
		t.Errorf("one that stays listed settles: %v %+v", err, l.Cards)
	}
}

// TestSettledWaits: memory that a context leaves, and what a card did in the last second,
// are looked at again; mine is asked of an opener after the driver has answered.
func TestSettledWaits(t *testing.T) {
	for _, line := range []string{"card 0 used 9000000000", "card 0 util 40"} {
		box := devicetest.Start(t)
		s := open(t, box.Options())
		opener := box.Opener(0)
		box.Set("card 0 name NVIDIA H200", line)
		over := false
		l, err := s.Settled(t.Context(), func(pid int) bool {
			if pid == opener.PID && !over {
				over = true
				box.Set("card 0 name NVIDIA H200")
			}
			return false
		}, []string{box.UUID(0)}, 5*time.Minute)
		if err != nil || !over {
			t.Fatalf("%s: asked %t, %v", line, over, err)
		}
		want(t, l.Cards[0], device.Quiet, "nobody")
	}
}

// TestListsThatAreNotTold: an error in place of a list is no empty list.
func TestListsThatAreNotTold(t *testing.T) {
	box := devicetest.Start(t)
	s := open(t, box.Options())
	for call, why := range map[string]string{
		"DeviceGetComputeRunningProcesses_v3":    "does not list its compute processes: insufficient permissions",
		"DeviceGetGraphicsRunningProcesses_v3":   "does not list its graphics processes",
		"DeviceGetMPSComputeRunningProcesses_v3": "does not list its mps processes",
		"DeviceGetMemoryInfo_v2":                 "does not tell how much of its memory",
		"DeviceGetHandleByIndex_v2":              "does not tell what it is",
	} {
		box.Set("card 0 name NVIDIA H200", "error "+call+" 4")
		want(t, look(t, s, nil).Cards[0], device.Unknown, why)
	}
	box.Set("card 0 name NVIDIA H200", "error DeviceGetGraphicsRunningProcesses_v3 3", "error DeviceGetMPSComputeRunningProcesses_v3 3")
	want(t, look(t, s, nil).Cards[0], device.Quiet, "nobody")
	box.Set("error DeviceGetCount_v2 999")
	if l := look(t, s, nil); !strings.Contains(l.Silent, "does not list its cards") || l.Cards[0].State != device.Unknown || l.Cards[0].UUID != box.UUID(0) {
		t.Errorf("a driver that lists no cards: %+v", l)
	}
}

// TestOpeners: who has the device file open and is not listed is evidence, and not
// more; unless the card is in use.
func TestOpeners(t *testing.T) {
	box := devicetest.Start(t)
	s := open(t, box.Options())
	quiet := box.Opener(0)
	c := look(t, s, nil).Cards[0]
	want(t, c, device.Quiet, "nobody")
	if len(c.Evidence) != 1 || !strings.Contains(c.Evidence[0], fmt.Sprintf("pid %d (cat) has the card's device file open", quiet.PID)) {
		t.Errorf("evidence: %q", c.Evidence)
	}
	box.Write("card 0 util 40")
	want(t, look(t, s, nil).Cards[0], device.Unknown, "it is in use and no process is listed")
	o := box.Options()
	o.Harmless = []string{"cat"}
	want(t, look(t, open(t, o), nil).Cards[0], device.Quiet, "nobody")
}

// TestInstances: the instances of a card that is cut are cards, and a process is on
// one of them.
func TestInstances(t *testing.T) {
	box := devicetest.Start(t)
	box.Set("card 0 name NVIDIA H200", "mig 0 1", "instance 0 1 memory 17179869184", "card 1 name NVIDIA H200")
	s := open(t, box.Options())
	guest := box.Opener(0)
	box.Write(fmt.Sprintf("process 0 compute %d 1073741824 2 0", guest.PID))
	l := look(t, s, nil)
	if len(l.Cards) != 3 || l.Cards[0].Parent != box.UUID(0) || !strings.HasPrefix(l.Cards[0].UUID, "MIG-") || l.Cards[2].UUID != box.UUID(1) {
		t.Fatalf("cards: %+v", l.Cards)
	}
	want(t, l.Cards[0], device.Quiet, "nobody")
	want(t, l.Cards[1], device.Busy, fmt.Sprint(guest.PID))
	want(t, l.Cards[2], device.Quiet, "nobody")
}

// TestNoDriver: no library, no nvidia-smi and no device file is no driver; any one of
// them is a driver that does not answer.
func TestNoDriver(t *testing.T) {
	box := devicetest.Start(t)
	box.NoLibrary()
	box.NoSMI()
	if l := look(t, open(t, box.Options()), nil); !strings.Contains(l.Silent, "cannot be loaded") {
		t.Errorf("device files alone: %+v", l)
	}
	box.NoDevices()
	o := box.Options()
	_, err := device.Open(t.Context(), o)
	if !errors.Is(err, device.ErrNoDriver) {
		t.Errorf("nothing at all: %v", err)
	}
	fresh := devicetest.Start(t)
	fresh.Write("error Init_v2 9")
	fresh.NoDevices()
	if _, err := device.Open(t.Context(), fresh.Options()); !errors.Is(err, device.ErrNoDriver) || !strings.Contains(err.Error(), "driver not loaded") {
		t.Errorf("a library without a driver: %v", err)
	}
}

// TestStrangeProgram: a program that does not know the child's part cannot start
// itself without end.
func TestStrangeProgram(t *testing.T) {
	t.Setenv("GPUCI_NVML_CHILD", "1")
	if _, err := device.Open(t.Context(), device.Options{}); err == nil || !strings.Contains(err.Error(), "ServeNVML") {
		t.Errorf("opened inside of a child: %v", err)
	}
	if filepath.Base(os.Args[0]) == device.Child {
		t.Error("the test runs as a child")
	}
}
