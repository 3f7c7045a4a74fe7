package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/kernels/trace"
)

// medianStep is what --timeline stands for without a number.
const medianStep = "median"

// timelineFlags ask for the times of the card, and a timeline of one step.
type timelineFlags struct {
	step string // "": not asked for
	n    int
}

func (f *timelineFlags) define(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.step, "timeline", "", "take the times of the card too, and write a timeline of `STEP`; without a number, the median warm one")
	cmd.Flags().Lookup("timeline").NoOptDefVal = medianStep
}

func (f *timelineFlags) check(cmd *cobra.Command) (err error) {
	if !cmd.Flags().Changed("timeline") {
		return nil
	}
	f.n, err = stepNumber("--timeline", f.step)
	return err
}

// stepNumber reads a step's number, or median.
func stepNumber(flag, text string) (int, error) {
	if text == medianStep {
		return trace.MedianStep, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, coded{gates.ExitUsage, fmt.Sprintf("%s %q is no step", flag, text), flag + "=12 is the step 12; " + flag + "=median the warm one that took as long as the median"}
	}
	return n, nil
}

// timelineTo are the flags of a report that write a timeline.
type timelineTo struct {
	timelineFlags
	file string // "": that of the recording
	old  string // what was --timeline-step
}

func (f *timelineTo) define(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.step, "timeline", "", "write a timeline of `STEP`, for Perfetto or chrome://tracing; without a number, of the median warm one")
	s.Lookup("timeline").NoOptDefVal = medianStep
	s.StringVarP(&f.file, "output", "o", "", "write the timeline to `FILE`, packed where it ends in .gz, and not to "+trace.TimelineName+" of the recording")
	s.StringVar(&f.old, "timeline-step", "", "")
	_ = s.MarkHidden("timeline-step") // it is there
}

// takes is what is wrong with the words beside the flags: --timeline took a file once.
func (f *timelineTo) takes(cmd *cobra.Command, args []string) error {
	for _, word := range args {
		if cmd.Flags().Changed("timeline") && (strings.HasSuffix(word, ".json") || strings.HasSuffix(word, ".json.gz")) {
			return timelineUsage("--timeline takes a step, and no file", word)
		}
	}
	if len(args) > 1 {
		return coded{gates.ExitUsage, fmt.Sprintf("%s takes one recording", cmd.CommandPath()), "gpuci trace diff A B compares two; a timeline goes to the file of -o FILE"}
	}
	return nil
}

func timelineUsage(text, file string) error {
	return coded{gates.ExitUsage, text, fmt.Sprintf("--timeline=12 -o %s writes the step 12 to that file", printable(file))}
}

func (f *timelineTo) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case changed("timeline-step"):
		return coded{gates.ExitUsage, "--timeline-step is --timeline now", fmt.Sprintf("--timeline=%s -o FILE", printable(f.old))}
	case changed("output") && f.file == "":
		return coded{gates.ExitUsage, "-o is empty", "name a file, step.json.gz"}
	case changed("output") && !changed("timeline"):
		return coded{gates.ExitUsage, "-o is of --timeline", "--timeline -o " + printable(f.file)}
	case strings.Contains(f.step, ".json"):
		return timelineUsage("--timeline takes a step, and no file", f.step)
	}
	return f.timelineFlags.check(cmd)
}

// path is the file that is written; "" is that of the recording.
func (f *timelineTo) path(s traceStore) string {
	if f.file == "" {
		return ""
	}
	return s.path(f.file)
}

// writeTimeline writes the timeline of a recording's step, "" is into the recording, and
// says so.
func (a *app) writeTimeline(ctx context.Context, dir string, meta *trace.Meta, how trace.Counting, o trace.TimelineOptions, path string) error {
	r, err := trace.ReadDir(dir)
	if err != nil {
		return err
	}
	line, err := trace.NewTimeline(ctx, r, meta, how, o)
	var stage *trace.NoStage
	var step *trace.NoStep
	if errors.As(err, &stage) || errors.As(err, &step) {
		return coded{gates.ExitNothing, "no timeline is written: " + printable(err.Error()), "--stage names a stage, --timeline=12 a step of it"}
	}
	switch {
	case err == nil && path == "":
		err, path = line.WriteIn(ctx, dir), filepath.Join(dir, trace.TimelineName)
	case err == nil:
		err = line.WriteFile(ctx, path)
	}
	var other *trace.NotOurs
	if errors.As(err, &other) {
		return coded{gates.ExitUsage, printable(err.Error()), "-o FILE names one that is not there yet"}
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return coded{exitUnfit, printable(err.Error()), "name a file on another disk"}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return coded{exitUnfit, printable(err.Error()), "-o FILE puts it elsewhere"}
	}
	if err != nil {
		return err
	}
	a.console.note(printable(timelineText(line, path)))
	return nil
}

// timelineText says what is in it, and what is not.
func timelineText(line *trace.Timeline, path string) string {
	what := "all of " + line.Stage
	if line.Step >= 0 {
		what = fmt.Sprintf("step %d of %s", line.Step, line.Stage)
	}
	text := fmt.Sprintf("the timeline of %s is %s: %s, %s of a card; ui.perfetto.dev and chrome://tracing open it", what, path, count(line.Calls, "call", "calls"), count(line.Pieces, "piece of work", "pieces of work"))
	if !line.Timed {
		text += "; times of the card were not taken: gpuci trace --timeline does"
	}
	if line.Cut {
		text += "; it is cut off there, since viewers hold no more"
	}
	if line.Others > 0 {
		text += fmt.Sprintf("; %s no such step", count(line.Others, "process has", "processes have"))
	}
	return text
}

// timeline writes that of the run, unless somebody is in a hurry. Nothing that goes wrong
// here is the program's.
func (t *tracing) timeline() {
	if t.flags.timeline.step == "" {
		return
	}
	ctx, cancel := context.WithCancel(context.Background()) // a Ctrl-C was the program's
	defer cancel()
	done := make(chan error, 1)
	go func() {
		done <- t.writeTimeline(ctx, t.rec.dir, &t.meta, t.flags.counting(), trace.TimelineOptions{Step: t.flags.timeline.n}, "")
	}()
	err := fmt.Errorf("no timeline is written yet: gpuci trace report %s --timeline does it", t.name())
	select {
	case err = <-done:
	case <-t.hurry:
		cancel()
		<-done // it leaves no half of one
	}
	if err != nil {
		t.console.note(strings.TrimSpace(err.Error()))
	}
}
