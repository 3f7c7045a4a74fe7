package trace

import (
	"context"
	"errors"
	"fmt"
)

// DirVariable names the recording to a program that is counted, and to what it starts, and
// LibraryVariable the library that the driver is to load.
const (
	DirVariable     = traceDir
	LibraryVariable = cudaInjection
)

// MeasureDir takes numbers from the recording in a directory, whose run.json says how its
// steps are told. The error is an *[Uncounted] as of [Recording.Measure], and where no
// line was one of a step, or their numbers are not those of one run.
func MeasureDir(ctx context.Context, dir string, want []Wanted) (Measurement, error) {
	meta, err := ReadMeta(dir)
	if err != nil {
		return Measurement{}, err
	}
	r, err := ReadDir(dir)
	if errors.As(err, new(*NoRecording)) {
		err = nil // which Measure says
	}
	if err != nil {
		return Measurement{}, err
	}
	how, err := meta.counting(dir, Counting{})
	if err != nil {
		return Measurement{}, err
	}
	if meta != nil && meta.Pattern != "" && len(how.Lines) == 0 {
		if err := r.sound(); err != nil {
			return Measurement{}, err
		}
		return Measurement{}, &Uncounted{fmt.Sprintf("no line of its output fits the pattern of a step, %q", meta.Pattern), "let it print a line for each step as it ends, or mend the pattern"}
	}
	if err := stepsBack(how.Lines); err != nil {
		return Measurement{}, err
	}
	return r.Measure(ctx, how, want)
}
