package cubin

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// need gives the path of a tool, or ends the test where it is not there.
func need(t *testing.T, tool string) string {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err == nil {
		return path
	}
	if os.Getenv("GPUCI_TEST_STRICT") == "1" {
		t.Fatalf("needs %s", tool)
	}
	t.Skipf("needs %s", tool)
	return ""
}

// run gives stdout and stderr of a tool that succeeds.
func run(t *testing.T, tool string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), tool, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, errs.String())
	}
	return out.String(), errs.String()
}

// knows reports whether this nvcc compiles for an architecture.
func knows(t *testing.T, arch string) bool {
	out, _ := run(t, need(t, "nvcc"), "--list-gpu-code")
	return holds(out, "sm_"+arch)
}

func holds(out, word string) bool {
	for f := range strings.FieldsSeq(out) {
		if f == word {
			return true
		}
	}
	return false
}

// compile gives the cubin of a source in testdata, and what ptxas said.
func compile(t *testing.T, source, arch string, flags ...string) (path, said string) {
	t.Helper()
	nvcc := need(t, "nvcc")
	path = filepath.Join(t.TempDir(), "sm_"+arch+".cubin")
	args := append([]string{"-cubin", "-std=c++17", "-arch=sm_" + arch, "-Xptxas", "-v", "-o", path}, flags...)
	_, said = run(t, nvcc, append(args, source)...)
	return path, said
}

// instruction is one as nvdisasm writes it.
type instruction struct {
	kernel string
	at     int
	text   string
}

var reInstruction = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s+(.*?);`)

// listing is what nvdisasm printed, by section.
func listing(out string) []instruction {
	var list []instruction
	kernel := ""
	for line := range strings.Lines(out) {
		if _, name, ok := strings.Cut(line, ".section\t.text."); ok {
			kernel, _, _ = strings.Cut(name, ",")
			continue
		}
		if m := reInstruction.FindStringSubmatch(line); m != nil {
			at, err := strconv.ParseInt(m[1], 16, 64)
			if err == nil {
				list = append(list, instruction{kernel, int(at), strings.TrimSpace(m[2])})
			}
		}
	}
	return list
}

// reAdds is a float addition in memory, in nvdisasm's words.
var reAdds = regexp.MustCompile(`^(?:@!?U?P\w+ )?(ATOM|ATOMG|ATOMS|RED|REDG|REDAS|LDGMC|UBLKRED|SUATOM|SURED)(?:\.\w+)*?\.(\w*ADD)(?:\.[A-Z]+)*\.(B?F\d\w*|E\dM\d\w*)`)

// reUnsure is what may be one, or hide one.
var reUnsure = regexp.MustCompile(`^(?:@!?U?P\w+ )?(?:(?:ATOM|ATOMG|ATOMS)(?:\.E)?\.CAST?\b|SUATOM|SURED|UREDGR|UTMAREDG\.\w+\.ADD)`)

// adds is the operation of the instruction in this package's words, "" where it
// adds no floats.
func (i instruction) adds() string {
	m := reAdds.FindStringSubmatch(i.text)
	if m == nil || strings.HasPrefix(m[1], "SU") {
		return ""
	}
	return m[1] + "." + strings.TrimPrefix(m[2], "SAFE") + "." + m[3]
}
