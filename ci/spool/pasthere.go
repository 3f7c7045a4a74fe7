package spool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gpuci/gates/history"
	"gpuci/gates/inputs"
)

// maxSince bounds the journal of a night, in bytes: 10,000 results have some 30 MiB.
const maxSince = 1 << 30

// takePast copies what is known of the past to this node, whose history it is from then on:
// nothing of SQLite's is opened in the shared place.
func (j *Job) takePast(ctx context.Context, state string) error {
	night := filepath.Dir(filepath.Dir(j.dir))
	if j.Past {
		file := filepath.Join(j.scratch.dir, "past.db")
		f, err := j.place.open(filepath.Join(night, pastName))
		if err == nil {
			err = errors.Join(writeTo(file, f, 0o600), f.Close())
		}
		if err == nil {
			err = history.PlaceSnapshot(file, state)
		}
		if err != nil {
			return fmt.Errorf("take the history along: %w", err)
		}
	}
	data, err := j.place.read(filepath.Join(night, sinceName), maxSince)
	if errors.Is(err, fs.ErrNotExist) {
		return j.takeReads(ctx, state)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(state, "journal"), 0o755)
	}
	if err == nil {
		whole := data[:bytes.LastIndexByte(data, '\n')+1] // somebody may be writing the next
		err = os.WriteFile(filepath.Join(state, "journal", fmt.Sprintf("night-%d.jsonl", os.Geteuid())), whole, 0o644)
	}
	if err != nil {
		return fmt.Errorf("take along what came since: %w", err)
	}
	return j.takeReads(ctx, state)
}

// takeReads puts what falsifications of the gate have read where it is looked for.
func (j *Job) takeReads(ctx context.Context, state string) error {
	entries, err := os.ReadDir(filepath.Join(j.dir, readsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err != nil || ctx.Err() != nil {
			break
		}
		to := filepath.Join(state, "runs", e.Name())
		var f *os.File
		if f, err = j.place.open(filepath.Join(j.dir, readsName, e.Name(), inputs.FileName)); err != nil {
			break
		}
		if err = os.MkdirAll(to, 0o755); err == nil {
			err = writeTo(filepath.Join(to, inputs.FileName), f, 0o600)
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("take along what falsifications have read: %w", err)
	}
	return nil
}
