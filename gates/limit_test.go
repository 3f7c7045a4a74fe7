package gates

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gpuci/gates/config"
	"gpuci/kernels/device/devicetest"
)

func TestMain(m *testing.M) {
	devicetest.Child() // where we are the child that asks the driver
	if job := os.Getenv("GATES_TEST_CARD"); job != "" {
		os.Exit(cardChild(job))
	}
	if file := os.Getenv("GATES_TEST_CLEANS"); file != "" {
		cleans(file)
		return
	}
	os.Exit(m.Run())
}

// cleans is a Go program that cleans up when it is asked to end.
func cleans(file string) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	<-c
	time.Sleep(50 * time.Millisecond)
	_ = os.WriteFile(file, nil, 0o644)
}

// At a time limit SIGTERM comes first and has its grace, for Go programs too;
// their traceback is asked for only after that.
func TestLimitIsPoliteToGo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cleaned")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	v := runGate(t, config.Gate{
		Run: []config.Command{{Argv: []string{self}}}, Timeout: 500 * time.Millisecond, BuildTimeout: time.Minute,
		Env: map[string]string{"GATES_TEST_CLEANS": file},
	}, "")
	if v.Outcome != OutOfTime {
		t.Errorf("%s: %v", v.Outcome, v.Findings)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("it could not clean up: %v", err)
	}
}
