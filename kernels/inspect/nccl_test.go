package inspect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gpuci/kernels/cubin"
	"gpuci/kernels/entry"
	"gpuci/kernels/ptxas"
)

// Bytes of a cubin up to which cuobjdump -elf and nvdisasm are asked too, and how
// many cubins: both take seconds for what is larger.
const (
	small = 256 << 10
	most  = 24
)

// TestNCCL holds every kernel of a library that others compiled, such as NCCL's,
// against cuobjdump and nvdisasm: GPUCI_NCCL is its path. It takes a minute, and as
// much disk as its device code has unpacked.
func TestNCCL(t *testing.T) {
	path := os.Getenv("GPUCI_NCCL")
	if path == "" {
		t.Skip("needs GPUCI_NCCL, the path of a library with much device code")
	}
	cuobjdump, nvdisasm := need(t, "cuobjdump"), need(t, "nvdisasm")
	modules := file(t, path)
	tell(t, "the library", modules)
	dir := t.TempDir()
	run(t, dir, cuobjdump, "-xelf", "all", path)
	made, err := filepath.Glob(filepath.Join(dir, "*.cubin"))
	if err != nil || len(made) == 0 {
		t.Fatalf("cuobjdump made %d cubins, %v", len(made), err)
	}
	var use, params, atomics tally
	asked := 0
	for i, f := range made {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := cubin.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
			continue
		}
		holdUse(t, m, run(t, dir, cuobjdump, "-res-usage", f), &use)
		if len(data) <= small && asked < most && i%7 == 0 { // of every architecture
			asked++
			holdParams(t, m, run(t, dir, cuobjdump, "-elf", f), &params)
			holdAtomics(t, m, run(t, dir, nvdisasm, f), &atomics)
		}
	}
	t.Logf("%d cubins that cuobjdump finds; agree: registers, stack and shared memory %v; parameters %v; float atomics %v", len(made), use, params, atomics)
	if use.held == 0 || params.held == 0 || atomics.held == 0 || use.agree != use.held || params.agree != params.held || atomics.agree != atomics.held {
		t.Error("not all agree")
	}
}

// tally is of kernels.
type tally struct{ agree, held int }

func (n tally) String() string { return fmt.Sprintf("%d of %d", n.agree, n.held) }

func (n *tally) count(t *testing.T, what string, err error) {
	t.Helper()
	n.held++
	if err == nil {
		n.agree++
		return
	}
	if n.held-n.agree < 20 {
		t.Errorf("%s: %v", what, err)
	}
}

func tell(t *testing.T, what string, modules []entry.Module) {
	t.Helper()
	kernels, params, atomics, typed, unread := 0, 0, 0, 0, 0
	for _, m := range modules {
		unread += len(m.Unread)
		for _, k := range m.Kernels {
			kernels++
			if k.ParamsKnown {
				params++
			}
			if k.AtomicsKnown {
				atomics++
			}
			if m.Kind == "cubin" && len(k.Params) > 0 && k.Params[0].Type != "" {
				typed++
			}
		}
	}
	t.Logf("%s: %d modules, %d kernels; parameters known of %d, float atomics of %d, types in %d; %d lines unread", what, len(modules), kernels, params, atomics, typed, unread)
}

func holdUse(t *testing.T, m entry.Module, text string, n *tally) {
	t.Helper()
	uses := map[string]ptxas.Use{}
	for _, u := range ptxas.ParseUsage(text) {
		uses[u.Kernel] = u
	}
	reserved := 0
	if arch, _ := strconv.Atoi(strings.Trim(m.Arch, "sm_af")); arch >= 90 {
		reserved = 1024
	}
	for _, k := range m.Kernels {
		u, ok := uses[k.Name]
		if !ok {
			n.count(t, k.Name, errors.New("cuobjdump does not have it"))
			continue
		}
		got := fmt.Sprint(value(k.Registers), value(k.Stack), value(k.Shared))
		want := fmt.Sprint(value(u.Registers), value(u.Stack), max(0, value(u.Shared)-reserved))
		var err error
		if got != want {
			err = fmt.Errorf("registers, stack, shared %s, cuobjdump has %s", got, want)
		}
		n.count(t, m.Arch+" "+k.Name, err)
	}
}

func value(n *int) int {
	if n == nil {
		return -1
	}
	return *n
}

var reParam = regexp.MustCompile(`Ordinal : 0x([0-9a-f]+)\s+Offset  : 0x([0-9a-f]+)\s+Size    : 0x([0-9a-f]+)`)

func holdParams(t *testing.T, m entry.Module, text string, n *tally) {
	t.Helper()
	want := map[string]string{}
	kernel := ""
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), ".nv.info."); ok {
			kernel = name
		}
		if f := reParam.FindStringSubmatch(line); f != nil {
			want[kernel] = fmt.Sprintf("%s:%s+%s ", f[1], f[2], f[3]) + want[kernel]
		}
	}
	for _, k := range m.Kernels {
		got := ""
		for _, p := range k.Params {
			got += fmt.Sprintf("%x:%x+%x ", p.Ordinal, p.Offset, p.Size)
		}
		var err error
		if got != want[k.Name] || !k.ParamsKnown {
			err = fmt.Errorf("parameters %s, cuobjdump has %s", got, want[k.Name])
		}
		n.count(t, m.Arch+" "+k.Name, err)
	}
}

var (
	reAdds   = regexp.MustCompile(`\b(?:ATOM|ATOMG|RED|REDG|LDGMC|UBLKRED)(?:\.\w+)*\.\w*ADD(?:\.[A-Z]+)*\.(?:B?F\d|E\dM\d)`)
	reUnsure = regexp.MustCompile(`\b(?:(?:ATOM|ATOMG|ATOMS)(?:\.E)?\.CAST?\b|SUATOM|SURED|UREDGR|UTMAREDG\.\w+\.ADD)`)
)

// holdAtomics counts float additions in nvdisasm's listing of each kernel's section. A
// kernel that calls has those of others, too.
func holdAtomics(t *testing.T, m entry.Module, text string, n *tally) {
	t.Helper()
	adds, unsure := map[string]int{}, map[string]bool{}
	kernel := ""
	for line := range strings.Lines(text) {
		if _, name, ok := strings.Cut(line, ".section\t.text."); ok {
			kernel, _, _ = strings.Cut(name, ",")
		}
		if reAdds.MatchString(line) {
			adds[kernel]++
		}
		unsure[kernel] = unsure[kernel] || reUnsure.MatchString(line)
	}
	for _, k := range m.Kernels {
		got := 0
		for _, a := range k.Atomics {
			if strings.Contains(a.Op, ".CAS of ") { // more than the line of a listing says
				unsure[k.Name] = false
				continue
			}
			got += a.Count
		}
		var err error
		if got != adds[k.Name] && !k.CallsOut || got < adds[k.Name] || unsure[k.Name] && k.AtomicsKnown {
			err = fmt.Errorf("%d float additions, known %v; nvdisasm has %d, unsure %v", got, k.AtomicsKnown, adds[k.Name], unsure[k.Name])
		}
		n.count(t, m.Arch+" "+k.Name, err)
	}
}
