package ptx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSize(t *testing.T) {
	whole := strings.TrimRight(module, "\n")
	for name, after := range map[string]string{
		"nothing": "", "a zero": "\x00", "a string": "cannot open {} of {}", "a brace": "} else {", "another": "\n.version 7.0\n.target sm_70\n", "space": "\n\n ",
	} {
		if got := Size([]byte(whole + after)); got != len(whole) {
			t.Errorf("%s follows: %d bytes, not %d", name, got, len(whole))
		}
	}
	if got := Size(nil); got != 0 {
		t.Errorf("nothing has %d bytes", got)
	}
}

// TestSizeOfCompiled: what nvcc writes is one module, to its end.
func TestSizeOfCompiled(t *testing.T) {
	for _, source := range []string{"plain", "calls", "objects"} {
		path := filepath.Join(t.TempDir(), "out.ptx")
		said, err := exec.CommandContext(t.Context(), nvcc(t), "-ptx", "-lineinfo", "-std=c++17", "-o", path, "../cubin/testdata/"+source+".cu").CombinedOutput()
		if err != nil {
			t.Fatalf("nvcc: %v\n%s", err, said)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Size(data), len(strings.TrimRight(string(data), "\n\x00")); got != want {
			t.Errorf("%s: %d bytes, not %d: what is left is %.80q", source, got, want, data[got:])
		}
	}
}

func FuzzSize(f *testing.F) {
	f.Add([]byte(module))
	f.Add([]byte(".version 8.0\n.target sm_80\n.entry k() {} and so on"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := Size(data)
		if n < 0 || n > len(data) {
			t.Fatalf("%d of %d bytes", n, len(data))
		}
		if again := Size(data[:n]); again != n {
			t.Fatalf("of %d bytes %d are a module", n, again)
		}
	})
}
