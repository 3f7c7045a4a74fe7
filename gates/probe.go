package gates

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

const (
	// maxAnswer bounds what is kept of a program's answer: gdb's on a
	// process of a thousand threads has some megabytes.
	maxAnswer = 16 << 20
	// probeKill is how long a program that was asked may take to die.
	probeKill = time.Second
)

// answer is what a program said that was asked for something.
type answer struct {
	out, err []byte
	exit     proc.Exit
	left     []string // what of it would not die
}

// ask runs a program for its answer. It is supervised as the gate's commands
// are, and nothing of it is left when ask returns: within limit, and a second
// for it to die.
func (f *flow) ask(ctx context.Context, limit time.Duration, argv []string, dir string, env []string) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var ends [2]*os.File
	var read [2]<-chan []byte
	for i := range ends {
		r, w, err := os.Pipe()
		if err != nil {
			return a, fmt.Errorf("ask %s: %w", argv[0], err)
		}
		defer r.Close()
		defer w.Close()
		ends[i], read[i] = w, readAll(r)
	}
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: argv, Dir: dir, Env: env, Name: f.v.Run, Aside: true, GiveUp: ctx.Done(), Stdout: ends[0], Stderr: ends[1],
	})
	if err != nil {
		return a, err
	}
	for _, w := range ends {
		_ = w.Close()
	}
	select {
	case <-p.Done():
	case <-ctx.Done():
		err = fmt.Errorf("ask %s: %w", argv[0], ctx.Err())
	}
	a.left = survivors(p.End(proc.Limits{Kill: probeKill}, f.opt.Hurry))
	if len(a.left) > 0 {
		f.opt.note("%s, which was asked for something, could not be ended: %s", argv[0], strings.Join(a.left, ", "))
	}
	late := time.After(probeKill)
	for i, into := range []*[]byte{&a.out, &a.err} {
		select {
		case *into = <-read[i]:
		case <-late: // somebody that would not end has it open
		}
	}
	a.exit = p.Exit()
	return a, err
}

// readAll reads until the end, and gives the beginning.
func readAll(r io.Reader) <-chan []byte {
	out := make(chan []byte, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, io.LimitReader(r, maxAnswer))
		_, _ = io.Copy(io.Discard, r)
		out <- b.Bytes()
	}()
	return out
}
