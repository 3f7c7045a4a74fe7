package simt

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// locate finds the lines of all addresses of an answer, and the names of static
// shared arrays. Without addr2line the lines stay unknown.
func (p *Program) locate(ctx context.Context, a *answer) error {
	all := a.seen
	if a.crash != nil {
		all = append(all[:len(all):len(all)], *a.crash)
	}
	var pcs []uint64
	known := map[uint64][]frame{}
	for _, s := range all {
		for _, at := range s.spots {
			if _, ok := known[at.pc]; !ok && at.pc != 0 {
				known[at.pc] = nil
				pcs = append(pcs, at.pc)
			}
		}
	}
	if len(pcs) > 0 && p.o.Addr2line != "" {
		if err := p.lines(ctx, pcs, known); err != nil {
			return err
		}
	}
	for i, s := range all {
		for n := range s.spots {
			s.spots[n].frames = known[s.spots[n].pc]
		}
		if i < len(a.seen) {
			a.seen[i].memory = p.variable(s.memory)
		}
	}
	return nil
}

// addresses is how many are asked for in one command line.
const addresses = 256

// lines asks addr2line, which answers with each address in a line of its own and then
// a line "FILE:LINE" (or with " (discriminator N)" after it) for each frame.
func (p *Program) lines(ctx context.Context, pcs []uint64, known map[uint64][]frame) error {
	for len(pcs) > 0 {
		n := min(len(pcs), addresses)
		argv := []string{p.o.Addr2line, "-a", "-i", "-e", filepath.Join(p.dir, "kernels.so")}
		for _, pc := range pcs[:n] {
			argv = append(argv, fmt.Sprintf("0x%x", pc-1)) // of the call, not of what follows it
		}
		var out, words bytes.Buffer
		if err := p.o.Exec(ctx, Command{Argv: argv, Env: p.o.Env, Stdout: &out, Stderr: &words}); err != nil {
			return fmt.Errorf("find lines of addresses: %w\n%s", err, strings.TrimSpace(words.String()))
		}
		var pc uint64
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSpace(line)
			if hex, ok := strings.CutPrefix(line, "0x"); ok {
				if before, err := strconv.ParseUint(hex, 16, 64); err == nil {
					pc = before + 1
					continue
				}
			}
			if f, ok := parseFrame(line); ok {
				known[pc] = append(known[pc], f)
			}
		}
		pcs = pcs[n:]
	}
	return nil
}

func parseFrame(line string) (frame, bool) {
	line, _, _ = strings.Cut(line, " (")
	i := strings.LastIndexByte(line, ':')
	if i < 0 {
		return frame{}, false
	}
	n, err := strconv.Atoi(line[i+1:])
	if err != nil || n == 0 {
		return frame{}, false
	}
	f := frame{path.Base(line[:i]), n}
	if strings.HasPrefix(f.file, "kernels of ") { // who calls them; see unit
		return frame{}, false
	}
	_, err = runtimeFiles.Open("runtime/" + f.file)
	return f, err != nil // not a line of our own headers
}

// place is the line where the thread is; "" and 0 where it is not known.
func (s spot) place() (string, int) {
	if len(s.frames) == 0 {
		return "", 0
	}
	return s.frames[0].file, s.frames[0].line
}

// mangledName is the last part of the name of a variable in a file or, such as
// _ZZ6kernelE4tile, of a function's static one.
var mangledName = regexp.MustCompile(`^_Z(?:Z.*E|L)?(\d+)(\w+)`)

// variable gives "tile+16" for "static+272" when the symbol table has a thread local
// variable tile there, and likewise for "device+64"; other memory as it is.
func (p *Program) variable(memory string) string {
	kind := elf.STT_TLS
	offset, ok := strings.CutPrefix(memory, "static+")
	if !ok {
		kind = elf.STT_OBJECT
		offset, ok = strings.CutPrefix(memory, "device+")
	}
	if !ok {
		return memory
	}
	at, err := strconv.ParseUint(offset, 10, 64)
	if err != nil {
		return memory
	}
	file, err := elf.Open(filepath.Join(p.dir, "kernels.so"))
	if err != nil {
		return memory
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		return memory
	}
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == kind && s.Value <= at && at < s.Value+s.Size {
			return fmt.Sprintf("%s+%d", variableName(s.Name), at-s.Value)
		}
	}
	return memory
}

func variableName(symbol string) string {
	if m := mangledName.FindStringSubmatch(symbol); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n <= len(m[2]) {
			return m[2][:n]
		}
	}
	name, _, _ := strings.Cut(symbol, ".") // GCC numbers those of extern "C" functions
	return name
}
