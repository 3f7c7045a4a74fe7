package spool

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// unpackArchive unpacks the archive of the order into a directory that is not there yet.
func (j *Job) unpackArchive(ctx context.Context, dir string) error {
	if err := j.soundArchive(); err != nil {
		return err
	}
	f, err := j.place.open(j.place.archive(j.Order.Archive))
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // through which no name leads out
	if err != nil {
		return err
	}
	defer root.Close()
	return untar(ctx, root, tar.NewReader(zip))
}

// soundArchive says whether the archive is the one of the order.
func (j *Job) soundArchive() error {
	from := j.place.archive(j.Order.Archive)
	f, err := j.place.open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	_, sum, err := measure(f)
	if err == nil && sum != j.ArchiveSum {
		err = fmt.Errorf("the archive %s is not the one of the order", from)
	}
	return err
}

// untar unpacks what package bundle packs: directories, files and hard links, all in one
// directory, whose name is left out.
func untar(ctx context.Context, root *os.Root, t *tar.Reader) error {
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name := inArchive(h.Name)
		switch {
		case name == "":
		case h.Typeflag == tar.TypeDir:
			err = root.MkdirAll(name, 0o755)
		case h.Typeflag == tar.TypeLink:
			err = root.Link(inArchive(h.Linkname), name)
		case h.Typeflag == tar.TypeReg:
			err = untarFile(root, name, h.FileInfo().Mode().Perm(), t)
		default:
			err = errors.New("it is no file and no directory")
		}
		if err != nil {
			return fmt.Errorf("unpack %q: %w", h.Name, err)
		}
	}
}

// inArchive is a name below the directory that all are in.
func inArchive(name string) string {
	_, rest, _ := strings.Cut(path.Clean(name), "/")
	return filepath.FromSlash(rest)
}

func untarFile(root *os.Root, name string, mode fs.FileMode, r io.Reader) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
