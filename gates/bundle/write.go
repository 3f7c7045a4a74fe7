package bundle

import (
	"archive/tar"
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

// WriteZipped is Write, compressed by gzip.
func (p *Pack) WriteZipped(ctx context.Context, w io.Writer, dir string) error {
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // the best is slower by far, and some 5 % smaller
	if err != nil {
		return err
	}
	if err := p.Write(ctx, zip, dir); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// Write writes the bundle as a tar archive, all of it in one directory. Of the same files
// it makes the same bytes; one that is there twice is a hard link to the first. A file
// that is not what it was at Plan is an error that wraps ErrChanged; then what was written
// is to be thrown away.
func (p *Pack) Write(ctx context.Context, w io.Writer, dir string) error {
	t := tar.NewWriter(w)
	err := p.begin(t, dir)
	first := make(map[File]string) // of the same content, which is packed once
	for _, f := range p.Manifest.Files {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			break
		}
		same := File{SHA256: f.SHA256, Exec: f.Exec}
		if as, again := first[same]; again {
			link := header(path.Join(dir, f.Path), 0, mode(f), tar.TypeLink)
			link.Linkname = path.Join(dir, as)
			err = t.WriteHeader(link)
			continue
		}
		first[same] = f.Path
		err = p.write(t, dir, f)
	}
	if err == nil {
		err = t.Close()
	}
	if err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// begin writes the directories and the manifest.
func (p *Pack) begin(t *tar.Writer, dir string) error {
	for _, d := range p.dirs() {
		if err := t.WriteHeader(header(path.Join(dir, d)+"/", 0, 0o755, tar.TypeDir)); err != nil {
			return err
		}
	}
	if err := t.WriteHeader(header(path.Join(dir, ManifestName), int64(len(p.data)), 0o644, tar.TypeReg)); err != nil {
		return err
	}
	_, err := t.Write(p.data)
	return err
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

func mode(f File) int64 {
	if f.Exec {
		return 0o755
	}
	return 0o644
}

func (p *Pack) write(t *tar.Writer, dir string, f File) error {
	if f.Path == Marker {
		err := t.WriteHeader(header(path.Join(dir, f.Path), f.Bytes, mode(f), tar.TypeReg))
		if err == nil {
			_, err = io.WriteString(t, markText)
		}
		return err
	}
	r, err := p.sources[f.Path].open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := t.WriteHeader(header(path.Join(dir, f.Path), f.Bytes, mode(f), tar.TypeReg)); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(t, io.TeeReader(io.LimitReader(r, f.Bytes), sum))
	if err == nil && (n != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%s %w while it was packed", f.Path, ErrChanged)
	}
	return err
}
