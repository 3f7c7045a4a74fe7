package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gpuci/gates"
	"gpuci/gates/ab"
	"gpuci/gates/ab/judge"
	"gpuci/gates/ab/plot"
)

// abShowFlags are the flags of `gpuci ab show`.
type abShowFlags struct {
	svg, metric, arm string
	json             bool
	width            int
}

// plotWidth is that of a terminal nobody has made wider.
const plotWidth = 80

func (a *app) abShowCommand() *cobra.Command {
	var f abShowFlags
	cmd := &cobra.Command{
		Use:   "show [ID]",
		Short: "a comparison again, with both arms over time and as distributions",
		Long: `show prints what came of a comparison, of the newest with an answer without an ID,
and draws both arms over time and as distributions. With --svg it writes the chart as
an SVG file, too.

Examples:
  gpuci ab show
  gpuci ab show 20261201T074103Z-40a1a7fa --svg fused.svg

Exit codes: 0, 4 no such comparison or metric, 64 usage, 78 configuration.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.json = f.json
			return a.abShow(cmd, f, args)
		},
	}
	s := cmd.Flags()
	s.StringVar(&f.svg, "svg", "", "write the chart to `FILE`")
	s.StringVar(&f.arm, "arm", "", "show arm `NAME` of several alone")
	s.StringVar(&f.metric, "metric", "", "draw metric `M`, not the one that leads")
	s.IntVar(&f.width, "width", plotWidth, "draw no wider than `N` cells")
	s.BoolVar(&f.json, "json", false, "print JSON lines, each with a type, and no drawing")
	return cmd
}

func (a *app) abShow(cmd *cobra.Command, f abShowFlags, args []string) error {
	w, err := a.bankWorkspace(cmd)
	if err != nil {
		return err
	}
	log, err := w.answered(args)
	if err != nil {
		return abError(err)
	}
	if f.arm != "" || f.svg != "" {
		if log, err = armOf(log, f.arm); err != nil {
			return err
		}
	}
	if err := a.printAB(ab.ReportOf(log), f.json); err != nil {
		return err
	}
	for _, arm := range log.Others() {
		if err := a.drawArm(log.Beside(arm), f); err != nil {
			return err
		}
	}
	return nil
}

// drawArm draws an arm beside the base.
func (a *app) drawArm(log ab.Log, f abShowFlags) error {
	r := ab.ReportOf(log)
	if len(r.Judged.Answers) == 0 {
		return nil
	}
	x, err := drawn(r, f.metric)
	if err != nil {
		return err
	}
	c := plot.Chart{Session: log.Taken(), Answer: x}
	if f.svg != "" {
		var b bytes.Buffer
		if err := plot.SVG(&b, c); err != nil {
			return err
		}
		if err := os.WriteFile(f.svg, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("write chart: %w", err)
		}
	}
	if f.json {
		return nil
	}
	return plot.Terminal(a.out, c, max(f.width, 20), false)
}

// drawn is the answer that is drawn.
func drawn(r *ab.Report, name string) (judge.Answer, error) {
	if name == "" {
		if x, ok := r.Lead(); ok {
			return x, nil
		}
		return r.Judged.Answers[0], nil
	}
	var known []string
	for _, x := range r.Judged.Answers {
		known = append(known, x.Metric.Name)
	}
	at := slices.Index(known, name)
	if at < 0 {
		return judge.Answer{}, coded{gates.ExitNothing, fmt.Sprintf("there is no metric %q in it", name), nearHint(name, known, "there is "+strings.Join(known, ", "))}
	}
	return r.Judged.Answers[at], nil
}
