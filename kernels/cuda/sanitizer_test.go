//go:build linux

package cuda_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gpuci/kernels/cuda"
	"gpuci/kernels/launch"
)

// sanitizer is a stand-in for compute-sanitizer, which no machine without a card has a
// use for: it runs the program that it is given, and leaves a recorded report.
func sanitizer(t *testing.T, report string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "compute-sanitizer")
	text := "#!/bin/sh\nlog=$4\nshift 4\nwhile [ \"${1#--}\" != \"$1\" ]; do shift 2; done\n\"$@\"\nstatus=$?\n"
	if report != "" {
		from, err := filepath.Abs(filepath.Join("testdata", "report", report+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		text += "cp '" + from + "' \"$log\"\n"
	}
	if err := os.WriteFile(path, []byte(text+"exit $status\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUnderTool: the report decides, and without one nothing is clean.
func TestUnderTool(t *testing.T) {
	run := func(report, kernel string) (launch.Result, error) {
		o := standin(t)
		o.Tool, o.Sanitizer, o.Dir = cuda.Memcheck, sanitizer(t, report), t.TempDir()
		r, err := program(t, o, whole).Run(t.Context(), scale(kernel))
		if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
			t.Errorf("%s is left in the directory of reports", left[0].Name())
		}
		return r, err
	}
	if r, err := run("memcheck-clean", "scale"); err != nil || len(r.Findings) != 0 || len(r.Buffers) == 0 {
		t.Errorf("clean: %v, %v", r.Findings, err)
	}
	if r, err := run("memcheck", "scale"); err != nil || len(r.Findings) != 2 {
		t.Errorf("with findings: %v, %v", r.Findings, err)
	}
	if r, err := run("memcheck", "trap"); err != nil || len(r.Findings) != 2 || r.Buffers != nil {
		t.Errorf("ended by a finding: %v, %d buffers, %v", r.Findings, len(r.Buffers), err)
	}
	if _, err := run("memcheck-clean", "trap"); !errors.As(err, new(*cuda.Error)) {
		t.Errorf("a crash with a clean report: %v", err)
	}
	if _, err := run("", "scale"); !errors.As(err, new(*cuda.ReportError)) {
		t.Errorf("no report: %v", err)
	}
	o := standin(t)
	o.Tool, o.Sanitizer = cuda.Memcheck, "/absent/compute-sanitizer"
	if _, err := program(t, o, whole).Run(t.Context(), scale("scale")); !errors.Is(err, cuda.ErrNoProgram) {
		t.Errorf("no compute-sanitizer: %v", err)
	}
}
