package gates

import (
	"context"
	"time"
)

// Answer is what came of asking a program something.
type Answer struct {
	Text   string   // all that it wrote, to stdout and then to stderr
	Failed string   // how it ended where that was no success, "" where it was
	Left   []string // what of it could not be ended
}

// Ask runs a program for its answer, such as its version, beside no gate. It is
// supervised as a gate's commands are: it reads /dev/null, and when Ask returns,
// within limit and a second for it to die, nothing is left of it but what Left
// names. Whether the program does no harm is the caller's to know.
//
// The error wraps context.DeadlineExceeded or proc.ErrNoStart where there was no
// answer in time, exec.ErrNotFound or fs.ErrPermission where it could not be
// started, and the context's error where that ended it.
func Ask(ctx context.Context, limit time.Duration, argv []string, dir string, env []string) (Answer, error) {
	f := &flow{v: &Verdict{}}
	a, err := f.ask(ctx, limit, argv, dir, env)
	out := Answer{Text: string(a.out) + string(a.err), Left: a.left}
	if err == nil && !a.exit.Clean() {
		out.Failed = a.exit.String()
	}
	return out, err
}
