package lint

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// codes are what shellcheck says of lost failures: A && B || C (2015), a declaration
// that masks a status (2155), ! that set -e does not see (2251), set -e that does not
// act in a function (2310, 2311), a substitution whose status is masked (2312), and $?
// that is of something else (2319, 2320).
func codes() []int { return []int{2015, 2155, 2251, 2310, 2311, 2312, 2319, 2320} }

// runShellcheck adds what shellcheck finds on lines where nothing else was found. It is
// bounded, and what it cannot read is left to the shell.
func runShellcheck(r *Report, root, program string) {
	for _, path := range slices.Clone(r.Read) {
		data, err := os.ReadFile(filepath.Join(root, path))
		first, _, _ := strings.Cut(string(data), "\n")
		if sb := shebang(first); err != nil || !strings.HasSuffix(path, ".sh") && (len(sb) == 0 || !isShell(sb[0])) {
			continue
		}
		cmd := exec.Command(program, "--format=json", "--norc", "--enable=check-set-e-suppressed,check-extra-masked-returns", path)
		cmd.Dir = root
		out, err := cmd.Output() // it ends with 1 where it found anything
		var said []struct {
			Line    int    `json:"line"`
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		if json.Unmarshal(out, &said) != nil {
			if err != nil {
				r.Unread = append(r.Unread, path+": shellcheck: "+err.Error())
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
				Kind: Shellcheck, Gates: gatesOf(r, path), File: path, Line: s.Line, Text: strings.TrimSpace(lines[s.Line-1]),
				Command: "SC" + strconv.Itoa(s.Code), Why: s.Message + " (shellcheck)", Instead: "see shellcheck.net/wiki/SC" + strconv.Itoa(s.Code),
			}
			f.accept(lines[s.Line-1])
			r.Findings = append(r.Findings, f)
		}
	}
}

// gatesOf are the gates that other findings of a file name.
func gatesOf(r *Report, path string) []string {
	for _, f := range r.Findings {
		if f.File == path {
			return f.Gates
		}
	}
	return []string{}
}
