package devicetest_test

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"gpuci/kernels/device"
	"gpuci/kernels/device/devicetest"
)

func TestMain(m *testing.M) {
	devicetest.Child()
	os.Exit(m.Run())
}

// TestShellOnCard: a command that is given Env can put itself on the card in shell,
// and a source that is given nothing but Env and Root finds library and nvidia-smi.
func TestShellOnCard(t *testing.T) {
	box := devicetest.Start(t)
	sh := exec.Command("/bin/sh", "-c", `exec 9<"$GPUCI_NVIDIA_ROOT/dev/nvidia0"; echo "process 0 compute $$ 1073741824" >>"$NVML_STANDIN"; echo on; read gone`)
	sh.Env = append(os.Environ(), box.Env()...)
	in, err := sh.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sh.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{"nvml", "nvidia-smi"} {
		o := box.Options()
		o.Library, o.SMI = "", ""
		s, err := device.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Look(t.Context(), func(pid int) bool { return pid == sh.Process.Pid })
		s.Close()
		if err != nil || l.Source != by || len(l.Cards) != 1 || l.Cards[0].State != device.Quiet || len(l.Cards[0].Own) != 1 {
			t.Errorf("by %s: %v %+v", by, err, l)
		}
		box.NoLibrary()
	}
	in.Close()
	_ = sh.Wait() // read at the end of the file fails, and so does the shell
}
