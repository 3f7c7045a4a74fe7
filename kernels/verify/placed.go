package verify

import (
	"context"
	"path/filepath"
	"regexp"

	"gpuci/kernels/launch"
)

// placed is a backend whose findings name files as whoever reads them does, and which
// adds what it does not judge.
type placed struct {
	launch.Backend
	dir     string           // that the sources are in
	shown   string           // the same, in messages
	besides []launch.Finding // of every run
}

// Run implements [launch.Backend].
func (p placed) Run(ctx context.Context, j launch.Job) (launch.Result, error) {
	r, err := p.Backend.Run(ctx, j)
	if err != nil {
		return r, err
	}
	r.Findings = append(r.Findings, p.besides...)
	p.place(r.Findings)
	return r, nil
}

// place names the files of findings.
func (p placed) place(list []launch.Finding) {
	for i := range list {
		f := &list[i]
		f.File, f.Other.File = p.file(f.File), p.file(f.Other.File)
		f.Text = p.text(f.Text)
	}
}

// file is a file of the sources with its directory.
func (p placed) file(name string) string {
	if name == "" || !isFile(filepath.Join(p.dir, name)) {
		return name
	}
	return filepath.Join(p.shown, name)
}

// sourceLine is the place of a finding in a backend's text, sharedByte and element are
// its places in memory.
var (
	sourceLine = regexp.MustCompile(`\b([\w.-]+\.(?:cuh?|h|cpp)):(\d+)\b`)
	sharedByte = regexp.MustCompile(` on shared\+(\d+)`)
	element    = regexp.MustCompile(` on (\w+)\[(\d+)\]`)
)

// text names files so, and says what the places in memory count.
func (p placed) text(text string) string {
	text = sourceLine.ReplaceAllStringFunc(text, func(at string) string {
		m := sourceLine.FindStringSubmatch(at)
		return p.file(m[1]) + ":" + m[2]
	})
	text = sharedByte.ReplaceAllString(text, " on byte $1 of shared memory")
	return element.ReplaceAllString(text, " on element $2 of $1")
}
