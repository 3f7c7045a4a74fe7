package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"
	"time"
)

// made is the time of every file in an archive: the first that zip knows, too. tar warns
// of one at the epoch.
var made = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the bundle as a gzip-compressed tar archive, all of it in one directory.
// Of the same files it makes the same bytes. A file that is not what it was at Plan is an
// error; then what was written is to be thrown away.
func (p *Pack) Write(ctx context.Context, w io.Writer, dir string) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // programs are as large by the best: some 5 % more
	if err != nil {
		return err
	}
	t := tar.NewWriter(zip)
	for _, d := range p.dirs() {
		if err := t.WriteHeader(header(path.Join(dir, d)+"/", 0, 0o755, tar.TypeDir)); err != nil {
			return fmt.Errorf("write bundle: %w", err)
		}
	}
	if err := t.WriteHeader(header(path.Join(dir, ManifestName), int64(len(p.data)), 0o644, tar.TypeReg)); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	if _, err := io.Copy(t, bytes.NewReader(p.data)); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	for _, f := range p.Manifest.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.write(t, dir, f); err != nil {
			return fmt.Errorf("write bundle: %w", err)
		}
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// header has nothing in it of the machine, the user or the day.
func header(name string, size int64, mode int64, kind byte) *tar.Header {
	return &tar.Header{Typeflag: kind, Name: name, Size: size, Mode: mode, ModTime: made}
}

// dirs are all directories, each behind the one that it is in; the bundle's own is ".".
func (p *Pack) dirs() []string {
	list := []string{"."}
	add := func(d string) {
		for ; d != "."; d = path.Dir(d) {
			if !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
	}
	for _, f := range p.Manifest.Files {
		add(path.Dir(f.Path))
	}
	for _, d := range p.Manifest.Dirs {
		add(d)
	}
	slices.Sort(list)
	return list
}

func (p *Pack) write(t *tar.Writer, dir string, f File) error {
	r, err := p.sources[f.Path].open()
	if err != nil {
		return err
	}
	defer r.Close()
	mode := int64(0o644)
	if f.Exec {
		mode = 0o755
	}
	if err := t.WriteHeader(header(path.Join(dir, f.Path), f.Bytes, mode, tar.TypeReg)); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(t, io.TeeReader(io.LimitReader(r, f.Bytes), sum))
	if err == nil && (n != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%s %w while it was packed", f.Path, ErrChanged)
	}
	return err
}
