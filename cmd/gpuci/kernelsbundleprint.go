package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"gpuci/gates/bundle"
	"gpuci/pressure"
)

// writeBundle writes the archive whole or not at all, and gives its size.
func writeBundle(ctx context.Context, p *bundle.Pack, out, dir string) (size int64, err error) {
	f, err := unfinished(out)
	if err != nil {
		return 0, err
	}
	defer func() {
		_ = f.Close()
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	write := p.Write
	if !strings.HasSuffix(out, plainArchive) {
		write = p.WriteZipped
	}
	if err = write(ctx, f, dir); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), out)
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// unfinished makes a file beside the archive that becomes it.
func unfinished(out string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".*")
}

// bundleLine is a bundle in JSON.
type bundleLine struct {
	Type     string          `json:"type"` // always "kernels-bundle"
	File     string          `json:"file"`
	Dir      string          `json:"dir"` // that it unpacks to
	Bytes    int64           `json:"bytes"`
	ID       string          `json:"id"`
	Manifest bundle.Manifest `json:"manifest"`
}

// typed is a name as it is typed in a shell: also one with spaces, or that reads as
// an option.
func typed(name string) string {
	if strings.HasPrefix(name, "-") || strings.Contains(name, ":") { // tar would ask another machine
		name = "./" + name
	}
	quoted, err := syntax.Quote(name, syntax.LangBash)
	if err != nil {
		return bourneQuote(name)
	}
	return quoted
}

// printBundle says what was packed, and what to do with it.
func (a *app) printBundle(p *bundle.Pack, out, dir string, size int64, f bundleFlags) error {
	m := p.Manifest
	if f.json {
		return a.jsonLine(bundleLine{"kernels-bundle", out, dir, size, p.ID, m})
	}
	var b strings.Builder
	total := int64(0)
	for _, one := range m.Files {
		total += one.Bytes
	}
	fmt.Fprintf(&b, "%s: %s, %s, %s of %s (bundle %.12s)\n", printable(out), count(len(m.Gates), "gate", "gates"), count(len(m.Files), "file", "files"), pressure.Bytes(size), pressure.Bytes(total), p.ID)
	at := "outside git, of no commit"
	if m.Commit != "" {
		at = fmt.Sprintf("%.10s", m.Commit)
		if m.Changes != "" {
			at += " with uncommitted changes: " + few(m.Changed)
		}
	}
	fmt.Fprintf(&b, "  made of  %s\n", printable(at))
	for _, one := range m.Files {
		switch text := ""; {
		case one.Binary != nil:
			if text = one.Binary.Text(); text != "" {
				fmt.Fprintf(&b, "  needs    %s: %s\n", printable(one.Path), printable(text))
			}
		case f.verbose:
			fmt.Fprintf(&b, "  file     %s, %s\n", printable(one.Path), pressure.Bytes(one.Bytes))
		}
	}
	for _, d := range m.Dirs {
		fmt.Fprintf(&b, "  empty    %s: a gate names the directory, and nothing of it is packed (bundle = [\"%s/**\"] packs it)\n", printable(d), printable(d))
	}
	for _, g := range m.Gates {
		for _, mark := range g.Marks {
			fmt.Fprintf(&b, "  mark     %s: %s\n", g.Name, printable(mark))
		}
	}
	fmt.Fprintf(&b, "  there    tar xf %s && cd %s && ./gpuci gate --all --keep-going\n", printable(typed(filepath.Base(out))), printable(typed(dir)))
	_, err := a.out.Write([]byte(b.String()))
	return err
}
