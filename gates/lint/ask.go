package lint

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"gpuci/reaper/proc"
	"gpuci/worktrees"
)

const (
	// maxAnswer bounds what is read of a program's answer, in bytes: cargo says some
	// 2 KiB of a crate, shellcheck some 300 bytes of a remark.
	maxAnswer = 32 << 20
	// askKill is how long a program that was asked may take to die.
	askKill = time.Second
)

// ask runs a program for its answer, supervised as a gate's commands are: nothing of it
// is left when ask returns, limit and a second after it began. exit is nil where it did
// not end by itself.
func ask(ctx context.Context, limit time.Duration, dir string, env []string, argv ...string) (out []byte, exit *proc.Exit, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("ask %s: %w", argv[0], err)
	}
	defer r.Close()
	got, flood := make(chan []byte, 1), make(chan struct{})
	go func() {
		text, _ := io.ReadAll(io.LimitReader(r, maxAnswer))
		if len(text) == maxAnswer {
			close(flood)
		}
		got <- text
	}()
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: argv, Dir: dir, Env: append(worktrees.PlainEnv(os.Environ()), env...), Name: "lint", Aside: true, GiveUp: ctx.Done(), Stdout: w,
	})
	_ = w.Close()
	if err != nil {
		return nil, nil, fmt.Errorf("ask %s: %w", argv[0], err)
	}
	select {
	case <-p.Done():
	case <-flood:
		err = fmt.Errorf("ask %s: it says more than %d MiB", argv[0], maxAnswer>>20)
	case <-ctx.Done():
		err = fmt.Errorf("ask %s: %w", argv[0], context.Cause(ctx))
	}
	p.End(proc.Limits{Kill: askKill}, nil)
	if err != nil {
		return nil, nil, err
	}
	select {
	case out = <-got:
	case <-time.After(askKill): // somebody that would not end has the pipe open
		return nil, nil, fmt.Errorf("ask %s: its output does not end", argv[0])
	}
	e := p.Exit()
	return out, &e, nil
}
