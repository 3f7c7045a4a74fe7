package crates

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is what a target is.
type Kind int

// The kinds of targets that have tests.
const (
	Lib Kind = iota
	Bin
	Test
	Bench
	Example
)

// Target is what a test binary is made of.
type Target struct {
	Package string
	Kind    Kind
	Name    string
	Source  string   // the file of its root, absolute
	Tested  bool     // without being named
	Needs   []string // features, without which it is passed over
}

// Package is one of a workspace.
type Package struct {
	Name, Version string
	Dir           string // absolute
	Features      map[string][]string
	Targets       []Target
}

// Space is a workspace, or a package that is in none.
type Space struct {
	Root     string // absolute
	Packages []Package
	Default  []string // directories of the packages that are meant at the root
}

// Ask runs a tool for its answer in a directory, within a time of its own.
type Ask func(ctx context.Context, dir string, argv ...string) ([]byte, error)

// Read finds out what the workspace of a manifest has: from cargo where it answers, from
// the manifests where it does not.
func Read(ctx context.Context, manifest string, ask Ask) (*Space, error) {
	out, err := ask(ctx, filepath.Dir(manifest), "cargo", "metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest)
	if err == nil {
		if s, err := fromCargo(out); err == nil {
			return s, nil
		}
	}
	s, err := fromManifests(manifest)
	if err != nil {
		return nil, fmt.Errorf("read the workspace of %s: %w", manifest, err)
	}
	return s, nil
}

// metadata is what we read of `cargo metadata`
// (https://doc.rust-lang.org/cargo/commands/cargo-metadata.html).
type metadata struct {
	Packages []struct {
		ID, Name, Version string
		ManifestPath      string `json:"manifest_path"`
		Features          map[string][]string
		Targets           []struct {
			Kind    []string
			Name    string
			SrcPath string   `json:"src_path"`
			Needs   []string `json:"required-features"`
			Test    bool
		}
	}
	Default []string `json:"workspace_default_members"` // since Rust 1.71
	Members []string `json:"workspace_members"`
	Root    string   `json:"workspace_root"`
}

func fromCargo(answer []byte) (*Space, error) {
	var m metadata
	if err := json.Unmarshal(answer, &m); err != nil {
		return nil, fmt.Errorf("read cargo metadata: %w", err)
	}
	if m.Default == nil {
		return nil, fmt.Errorf("read cargo metadata: it does not say which members are meant by default")
	}
	s := &Space{Root: m.Root}
	for _, p := range m.Packages {
		own := Package{Name: p.Name, Version: p.Version, Dir: filepath.Dir(p.ManifestPath), Features: p.Features}
		for _, t := range p.Targets {
			if k, ok := kindOf(t.Kind); ok {
				own.Targets = append(own.Targets, Target{Package: p.Name, Kind: k, Name: t.Name, Source: t.SrcPath, Tested: t.Test, Needs: t.Needs})
			}
		}
		s.Packages = append(s.Packages, own)
		if slices.Contains(m.Default, p.ID) {
			s.Default = append(s.Default, own.Dir)
		}
	}
	return s, nil
}

func kindOf(words []string) (Kind, bool) {
	for _, w := range words {
		switch {
		case w == "bin":
			return Bin, true
		case w == "test":
			return Test, true
		case w == "bench":
			return Bench, true
		case w == "example":
			return Example, true
		case w == "proc-macro" || strings.HasSuffix(w, "lib"):
			return Lib, true
		}
	}
	return 0, false
}
