package device

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gpuci/reaper/proc"
)

// errNoSMI says that there is no nvidia-smi to ask.
var errNoSMI = errors.New("no nvidia-smi")

// smiTime is how long nvidia-smi may take: one to two seconds are usual on a machine
// of eight cards without persistence.
const smiTime = 5 * time.Second

// smiMax bounds what nvidia-smi may print: 8 cards with 1000 processes are 2 MiB.
const smiMax = 16 << 20

// smi runs nvidia-smi, for at most the Options' Ask; nothing of it is left then,
// whatever signals it ignores, but what hangs in the kernel.
func (s *Source) smi(ctx context.Context, args ...string) ([]byte, error) {
	limit := cmp.Or(s.o.Ask, smiTime)
	path, err := s.smiPath()
	if err != nil {
		return nil, err
	}
	hurry, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	p, err := proc.Start(context.WithoutCancel(ctx), proc.Command{
		Argv: append([]string{path}, args...), Dir: "/", Env: s.o.environ(), Name: "nvidia-smi", Stdout: w, Aside: true, GiveUp: hurry.Done(),
	})
	w.Close()
	if errors.Is(err, proc.ErrNoStart) {
		return nil, fmt.Errorf("%w (nvidia-smi does not even start)", errHung)
	}
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", path, err)
	}
	read := make(chan []byte, 1)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, io.LimitReader(r, smiMax))
		_, _ = io.Copy(io.Discard, r)
		read <- b.Bytes()
	}()
	hung := false
	select {
	case <-p.Done():
	case <-hurry.Done():
		hung = true
	}
	res := p.End(proc.Limits{Kill: patience}, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if hung {
		return nil, fmt.Errorf("%w (nvidia-smi, for %s%s)", errHung, limit, stuck(res))
	}
	var out []byte
	select {
	case out = <-read:
	case <-time.After(patience): // something that would not end has it open
		return nil, fmt.Errorf("nvidia-smi ended, and left something that holds its output%s", stuck(res))
	}
	if e := p.Exit(); !e.Clean() {
		return nil, fmt.Errorf("nvidia-smi failed: %s%s", e, firstLine(out))
	}
	return out, nil
}

func (s *Source) smiPath() (string, error) {
	name := s.o.SMI
	if name == "" {
		name = "nvidia-smi"
	}
	path, err := proc.LookPath(name, "/", s.o.environ())
	if err != nil {
		return "", errNoSMI
	}
	return path, nil
}

// stuck names what SIGKILL has not ended yet.
func stuck(r proc.Result) string {
	if len(r.Stuck) == 0 {
		return ""
	}
	return "; it cannot be ended: " + r.Stuck[0].String()
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if line == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(line[:min(len(line), 200)], "?")
}

// askSMI makes a Raw by nvidia-smi. The XML does not tell the compute capability,
// which is asked once.
func (s *Source) askSMI(ctx context.Context) (Raw, error) {
	out, err := s.smi(ctx, "-q", "-x")
	if err != nil {
		return Raw{}, err
	}
	raw, err := parseSMI(out)
	if err != nil {
		return Raw{}, err
	}
	raw.At = time.Now()
	if s.capability == nil {
		if out, err := s.smi(ctx, "--query-gpu=uuid,compute_cap", "--format=csv,noheader"); err == nil {
			s.capability = parseCapabilities(out)
		} else if ctx.Err() != nil {
			return Raw{}, ctx.Err()
		}
	}
	for i := range raw.Cards {
		c := &raw.Cards[i]
		if cc, ok := s.capability[c.UUID]; ok {
			c.Major, c.MinorCC = Told(cc[0]), Told(cc[1])
		}
	}
	return raw, nil
}
