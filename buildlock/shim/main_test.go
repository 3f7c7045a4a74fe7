package shim

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The test binary is also the child processes that the tests need.
const playVar = "GPUCI_SHIM_TEST_PLAY"

func TestMain(m *testing.M) {
	switch os.Getenv(playVar) {
	case "":
		os.Exit(m.Run())
	case "arguments": // say what we were called with
		fmt.Print(strings.Join(os.Args[1:], "\x00"))
	case "maker": // make a directory of shims: PROGRAM BASE
		d, err := Install{Program: os.Args[1], Env: os.Environ(), Base: os.Args[2]}.Make()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(d.Path)
	}
}

// need skips a test whose tool is missing, or fails it where nothing may be.
func need(t testing.TB, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil && os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s: %v", tool, err)
	}
	if err != nil {
		t.Skip("needs " + tool)
	}
	return path
}

// write makes an executable file and the directories above it.
func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(path[:strings.LastIndexByte(path, '/')], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
