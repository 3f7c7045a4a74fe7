package lint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// codes are what shellcheck says of lost failures and this package does not: $? that is
// of a condition (2319), or of an echo (2320), and not of the command that is meant. What
// it says beyond that, of declarations and of set -e in functions, the walk knows itself,
// together with which commands matter.
func codes() []int { return []int{2319, 2320} }

// shellcheckTime bounds one look of shellcheck at one script, which takes a tenth of a
// second; shellcheckAll bounds all of them.
const (
	shellcheckTime = 10 * time.Second
	shellcheckAll  = time.Minute
)

// runShellcheck adds what shellcheck finds on lines where nothing else was found. A
// script that it gives no answer for in time is said, and those after the first such one
// are left out: it is shellcheck that hangs, and not the script.
func runShellcheck(ctx context.Context, r *Report, root, program string) {
	ctx, cancel := context.WithTimeoutCause(ctx, shellcheckAll, fmt.Errorf("no answer on all scripts within %s", shellcheckAll))
	defer cancel()
	for _, path := range slices.Clone(r.Read) {
		data, err := os.ReadFile(filepath.Join(root, path))
		first, _, _ := strings.Cut(string(data), "\n")
		if sb := shebang(first); err != nil || !strings.HasSuffix(path, ".sh") && (len(sb) == 0 || !isShell(sb[0])) {
			continue
		}
		said, err := askShellcheck(ctx, root, program, path)
		if err != nil {
			r.Beyond = append(r.Beyond, path+" was not read by shellcheck, only by gpuci: "+err.Error())
			if errors.Is(err, errNoAnswer) {
				return
			}
			continue
		}
		lines := strings.Split(string(data), "\n")
		for _, s := range said {
			here := func(f Finding) bool { return f.File == path && f.Line == s.Line }
			if !slices.Contains(codes(), s.Code) || s.Line < 1 || s.Line > len(lines) || slices.ContainsFunc(r.Findings, here) {
				continue
			}
			f := Finding{
				Kind: Shellcheck, Gates: slices.Clone(r.gates[path]), File: path, Line: s.Line, Text: clip(strings.TrimSpace(lines[s.Line-1])),
				Command: "SC" + strconv.Itoa(s.Code), Why: s.Message + " (shellcheck)", Instead: "see shellcheck.net/wiki/SC" + strconv.Itoa(s.Code),
			}
			f.acceptAt(string(data), s.Line)
			r.Findings = append(r.Findings, f)
		}
	}
}

// remark is what shellcheck says of a place.
type remark struct {
	Line    int    `json:"line"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

var errNoAnswer = errors.New("it was ended")

// askShellcheck has shellcheck look at a script. It ends with 1 where it found anything,
// with 2 and more where it did not come to it.
func askShellcheck(ctx context.Context, root, program, path string) (said []remark, err error) {
	out, exit, err := ask(ctx, shellcheckTime, root, nil, program, "--format=json", "--norc", "--", path)
	if err == nil && exit.Code > 2 { // before 0.7 it did not know --norc
		out, exit, err = ask(ctx, shellcheckTime, root, nil, program, "--format=json", "--", path)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	case exit.Code > 1 || exit.Signal != 0:
		return nil, fmt.Errorf("it could not look: %s", exit)
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return nil, fmt.Errorf("it does not answer in JSON: %w", err)
	}
	return said, nil
}
