package kda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratorRefuses plants one exponential too many, in either form, in a copy of
// this package: both generators must refuse before they write anything, and write where
// nothing is planted.
func TestGeneratorRefuses(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new string
	}{
		{name: "untouched"},
		{"chunk form", "backward.go", "diag(c.GLast, ds)", "diag(expAgain(c.GLast), ds)"},
		{"sequential form", "sequential.go", "s.g[at+d].exp()", "s.g[at+d].exp().exp()"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
			root := copyOfPackage(t, c.file, c.old, c.new)
			text, err := generateIn(t, root)
			files := must(filepath.Glob(filepath.Join(root, "kernels/kda/testdata/*")))(t)
			switch {
			case c.old == "" && (err != nil || len(files) != 3):
				t.Errorf("they wrote %v: %v\n%s", files, err, text)
			case c.old != "" && (err == nil || len(files) != 0):
				t.Errorf("they wrote a fixture of a fault: %v, %v\n%s", files, err, text)
			case c.old != "" && strings.Count(text, "the two forms disagree") != 2:
				t.Errorf("they refused for another reason:\n%s", text)
			}
		})
	}
}

// copyOfPackage is the root of a module with this package in it, without its fixtures,
// and with one text replaced, which must stand there once.
func copyOfPackage(t *testing.T, file, from, to string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "kernels/kda")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(root, name), string(must(os.ReadFile(filepath.Join("../..", name)))(t)))
	}
	for _, name := range must(filepath.Glob("*.go"))(t) {
		text := string(must(os.ReadFile(name))(t))
		if name == file {
			if n := strings.Count(text, from); n != 1 {
				t.Fatalf("%q stands %d times in %s, want once", from, n, file)
			}
			text = strings.Replace(text, from, to, 1)
		}
		write(t, filepath.Join(dir, name), text)
	}
	again, _, _ := strings.Cut(probeSource, "// Probe runs")
	write(t, filepath.Join(dir, "again.go"), again)
	return root
}

// generateIn runs the generators of a copy, and gives what they printed.
func generateIn(t *testing.T, root string) (string, error) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		if os.Getenv("GPUCI_TEST_STRICT") == "1" {
			t.Fatal("needs go")
		}
		t.Skip("needs go")
	}
	cmd := exec.CommandContext(t.Context(), tool, "test", "-trimpath", "-vet=off", "-count=1", "-run", "^TestWrite(Fused)?Fixture$", "./kernels/kda")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GPUCI_FIXTURE_OUT="+root, "GOFLAGS=", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput()
	return string(text), err
}
