package propose

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

const (
	// maxAnswer bounds what is read of a tool's answer: cargo says about 2 KiB
	// of a crate, and 5,000 crates are more than anybody has.
	maxAnswer = 64 << 20
	// askKill is how long a tool that was asked may take to die.
	askKill = time.Second
)

// ask runs a tool for its answer, supervised as the commands of a gate are:
// when ctx ends, so does all that it started. A failed tool's error has the
// first line of its stderr.
func (s *survey) ask(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error) {
	var ends [2]*os.File
	var got [2]<-chan []byte
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, fmt.Errorf("ask %s: %w", argv[0], err)
		}
		defer r.Close()
		ends[i], got[i] = w, readAll(r)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: argv, Dir: dir, Env: slices.Concat(s.opt.Env, env), Name: "propose", Aside: true,
		GiveUp: ctx.Done(), Stdout: ends[0], Stderr: ends[1],
	})
	for _, w := range ends {
		_ = w.Close()
	}
	if err != nil {
		return nil, err
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		err = fmt.Errorf("ask %s: %w", argv[0], context.Cause(ctx))
	}
	p.End(proc.Limits{Kill: askKill}, s.opt.Hurry)
	if err != nil {
		return nil, err
	}
	out, said := await(got[0]), await(got[1])
	switch {
	case !p.Exit().Clean():
		return out, failed{argv[0], p.Exit(), firstLine(said)}
	case len(out) == maxAnswer:
		return nil, fmt.Errorf("ask %s: it says more than %d MiB", argv[0], maxAnswer>>20)
	}
	return out, nil
}

// failed says how a tool ended that did not succeed.
type failed struct {
	tool string
	exit proc.Exit
	said string
}

func (f failed) Error() string {
	if f.said == "" {
		return fmt.Sprintf("%s: %s", f.tool, f.exit)
	}
	return fmt.Sprintf("%s: %s", f.tool, f.said)
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.TrimPrefix(line, "error: ")
}

// readAll reads to the end, and keeps the beginning.
func readAll(r io.Reader) <-chan []byte {
	out := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(r, maxAnswer))
		_, _ = io.Copy(io.Discard, r)
		out <- text
	}()
	return out
}

// await waits for what was read, and not for somebody that would not end and
// has the pipe open.
func await(got <-chan []byte) []byte {
	select {
	case text := <-got:
		return text
	case <-time.After(askKill):
		return nil
	}
}
