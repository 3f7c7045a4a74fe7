package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	words "mvdan.cc/sh/v3/shell"

	"gpuci/gates/ab"
	"gpuci/gates/config"
	"gpuci/gates/metric"
)

// The comparison that gpuci.toml offers of the host backend at two levels of its compiler
// can be made: its gate is one that is compared, what it edits stands there once, and its
// pattern finds what the benchmark prints.
func TestHostSpeed(t *testing.T) {
	root := filepath.Join("..", "..")
	cfg, err := config.Load(config.Sources{Workspace: filepath.Join(root, config.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	g, ok := cfg.Gate("host-speed")
	if !ok {
		t.Fatal("gpuci.toml has no gate host-speed")
	}
	if err := ab.Check(*g, nil); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(filepath.Join(root, config.FileName))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^# +(gpuci ab host-speed .*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("gpuci.toml does not say how it is compared")
	}
	fields, err := words.Fields(string(line[1]), nil)
	if err != nil {
		t.Fatal(err)
	}
	var specs []string
	for i, w := range fields[:len(fields)-1] {
		if w == "--arm" {
			specs = append(specs, fields[i+1])
		}
	}
	arms, err := ab.ParseArms(specs)
	if err != nil || len(arms) != 2 || len(arms[1].Edits) != 1 {
		t.Fatalf("%+v, %v", arms, err)
	}
	e := arms[1].Edits[0]
	source, err := os.ReadFile(filepath.Join(root, e.File))
	if n := strings.Count(string(source), e.From); err != nil || n != 1 {
		t.Errorf("%s has %q %d times, not once: %v", e.File, e.From, n, err)
	}
	c, err := metric.New([]metric.Spec{{Metric: g.Metrics[0].Name, Pattern: g.Metrics[0].Pattern}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Line([]byte("BenchmarkProducts-2   \t      20\t  57878393 ns/op\t         1.310 ns/fma"))
	if f := c.Found("fma-ns"); f == nil || f.Count != 1 || f.Low.Value != 1.31 {
		t.Errorf("%+v", f)
	}
}
