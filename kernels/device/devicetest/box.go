package devicetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
)

// Box is a machine's driver that is not there.
type Box struct {
	t   testing.TB
	dir string
	lib string // Options.Library
}

// quiet is one H200 with nothing on it.
const quiet = "card 0 name NVIDIA H200\n"

// Start makes a box with one quiet H200 in it: card 0.
func Start(t testing.TB) *Box {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir()) // the kernel names open files so
	if err != nil {
		t.Fatal(err)
	}
	b := &Box{t: t, dir: dir}
	c, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	b.write("lib/libnvidia-ml.so.1", c.library, 0o755)
	b.write("bin/nvidia-smi", c.smi, 0o755)
	for _, name := range []string{"nvidia0", "nvidia1", "nvidia2", "nvidia3", "nvidiactl", "nvidia-uvm"} {
		b.write("root/dev/"+name, nil, 0o666)
	}
	b.write("root/proc/driver/nvidia/gpus/0000:18:00.0/information", nil, 0o644)
	b.lib = dir + "/lib/libnvidia-ml.so.1"
	b.Reset()
	return b
}

// Root is what stands for / : device files are below Root()/dev.
func (b *Box) Root() string { return b.dir + "/root" }

// UUID is what card n is called unless the state says otherwise.
func (b *Box) UUID(n int) string {
	return fmt.Sprintf("GPU-%08x-0000-4000-8000-%012x", 0xabc0+n, n)
}

// State is the path of the state file.
func (b *Box) State() string { return b.dir + "/state" }

func (b *Box) write(name string, data []byte, mode os.FileMode) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", data, mode); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		b.t.Fatal(err)
	}
}

// Env are the variables by which a gpuci finds this box: LD_LIBRARY_PATH, PATH (with
// the stand-in nvidia-smi first), GPUCI_NVIDIA_ROOT, NVML_STANDIN. They go behind
// those that they replace.
func (b *Box) Env() []string {
	return []string{
		"LD_LIBRARY_PATH=" + b.dir + "/lib",
		"PATH=" + b.dir + "/bin" + string(os.PathListSeparator) + os.Getenv("PATH"),
		device.RootVariable + "=" + b.Root(),
		"NVML_STANDIN=" + b.State(),
	}
}

// patience is for a machine that is many times slower than it should be: no test of
// the stand-in is about time.
const patience = 2 * time.Minute

// Options opens this box in the test's own process. The test binary's TestMain must
// call Child.
func (b *Box) Options() device.Options {
	return device.Options{
		Around: device.Around{Root: b.Root()}, Library: b.lib, SMI: b.dir + "/bin/nvidia-smi",
		Env: append(os.Environ(), b.Env()...), First: patience, Next: patience, Ask: patience,
	}
}

// Child plays the child when the test binary was started as one: call it first in
// TestMain.
func Child() {
	if filepath.Base(os.Args[0]) == device.Child {
		os.Exit(device.ServeNVML(os.Stdin, os.Stdout))
	}
}

// NoLibrary takes the library away: what is left is nvidia-smi.
func (b *Box) NoLibrary() {
	b.t.Helper()
	b.write("lib/libnvidia-ml.so.1", []byte("no library\n"), 0o755)
}

// NoSMI takes nvidia-smi away.
func (b *Box) NoSMI() {
	b.t.Helper()
	if err := os.Remove(b.dir + "/bin/nvidia-smi"); err != nil {
		b.t.Fatal(err)
	}
}

// NoDevices takes the device files and /proc/driver/nvidia away.
func (b *Box) NoDevices() {
	b.t.Helper()
	if err := os.RemoveAll(b.Root()); err != nil {
		b.t.Fatal(err)
	}
}

// Write puts lines at the end of the state.
func (b *Box) Write(lines ...string) {
	b.t.Helper()
	f, err := os.OpenFile(b.State(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
		b.t.Fatal(err)
	}
}

// Reset puts the state back to that of Start. Guests are listed no more.
func (b *Box) Reset() {
	b.t.Helper()
	b.write("state", []byte(quiet), 0o666)
}

// Set makes the state anew of some lines.
func (b *Box) Set(lines ...string) {
	b.t.Helper()
	b.write("state", []byte(strings.Join(lines, "\n")+"\n"), 0o666)
}
