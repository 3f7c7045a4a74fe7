package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Names are what the numbers of a process's events stand for.
type Names struct {
	Kernels map[uint32]Kernel
	Graphs  map[uint32]Graph
	Calls   map[uint32]string // of the driver, "cuMemcpyHtoD_v2"
	Texts   map[uint32]string // of NVTX
	Cards   map[uint32]Card   // by context
	Symbols map[uint32]string // of kernels, as work of a card has them
}

// Kernel is a function with the shape that it was launched in.
type Kernel struct {
	Symbol   string // as the compiler has it
	Name     string // for people
	Function string // its handle
	Grid     [3]int // blocks
	Block    [3]int // threads
	Shared   int    // bytes that are asked for at the launch
}

// Graph is one that was made ready to launch.
type Graph struct {
	Exec  string // its handle, which a later one may have as well
	Of    string // the handle of the graph that it was made of, likewise
	Nodes Nodes
}

// Nodes are how many a graph has of each type, those of child graphs among them.
type Nodes struct {
	Kernels  int `json:"kernels"`
	Copies   int `json:"copies,omitempty"`
	Sets     int `json:"sets,omitempty"`
	Hosts    int `json:"hosts,omitempty"`
	Children int `json:"children,omitempty"`
	Empty    int `json:"empty,omitempty"`
	Waits    int `json:"waits,omitempty"`
	Events   int `json:"events,omitempty"`
	Allocs   int `json:"allocs,omitempty"`
	Frees    int `json:"frees,omitempty"`
	Others   int `json:"others,omitempty"`

	Conditionals int `json:"conditionals,omitempty"` // what is within them is not counted
}

// All is how many there are.
func (n Nodes) All() int {
	return n.Kernels + n.Copies + n.Sets + n.Hosts + n.Children + n.Empty + n.Waits + n.Events + n.Allocs + n.Frees + n.Others + n.Conditionals
}

// Card is the one of a context.
type Card struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	UUID  string `json:"uuid"`
}

// Names reads the names file.
func (p *Process) Names() (Names, error) {
	n := Names{map[uint32]Kernel{}, map[uint32]Graph{}, map[uint32]string{}, map[uint32]string{}, map[uint32]Card{}, map[uint32]string{}}
	f, err := openRegular(p.file + ".names")
	if errors.Is(err, fs.ErrNotExist) && p.State == Made {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	defer f.Close()
	if err := n.read(f); err != nil {
		return n, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return n, nil
}

// nameLongest is more than a line has: the library cuts it at half of it.
const nameLongest = 16 << 10

// read takes all lines. A last one that breaks off is that of a process that was killed.
func (n *Names) read(r io.Reader) error {
	lines := bufio.NewReaderSize(r, nameLongest)
	for i := 0; ; i++ {
		text, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("a line of it has more than %d bytes", nameLongest)
		case err != nil:
			return err
		case i == namesMax:
			return fmt.Errorf("it has more than %d names", namesMax)
		}
		if err := n.line(string(bytes.ToValidUTF8(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'?'}))); err != nil {
			return err
		}
	}
}

// line takes a line: number, type, fields. Of a type that is not known it says nothing.
func (n *Names) line(text string) error {
	fields := strings.Split(text, "\t")
	number, err := strconv.ParseUint(fields[0], 10, 32)
	if err != nil || len(fields) < 3 {
		return fmt.Errorf("%.80q is no name", text)
	}
	id := uint32(number)
	switch rest := fields[2:]; {
	case fields[1] == "K" && len(rest) == 5:
		n.Kernels[id] = Kernel{Symbol: rest[4], Name: readable(rest[4]), Function: rest[0], Grid: triple(rest[1]), Block: triple(rest[2]), Shared: number10(rest[3])}
	case fields[1] == "G" && len(rest) == 3:
		n.Graphs[id] = Graph{Exec: rest[0], Of: rest[1], Nodes: nodes(rest[2])}
	case fields[1] == "S":
		n.Symbols[id] = rest[0]
	case fields[1] == "C":
		n.Calls[id] = rest[0]
	case fields[1] == "T":
		n.Texts[id] = strings.Join(rest, " ")
	case fields[1] == "D" && len(rest) == 4:
		n.Cards[uint32(number10(rest[0]))] = Card{number10(rest[1]), rest[3], rest[2]}
	}
	return nil
}

// Text is that of a range or a mark.
func (n *Names) Text(e *Event) string {
	if e.Other == 0 {
		return n.Texts[e.Name]
	}
	return n.Texts[e.Name] + strconv.FormatUint(uint64(e.Other-1), 10)
}

// readableMost is a power of two, of the characters that a name is cut at: what a symbol says
// again by a number can make a name of gigabytes out of two hundred.
const readableMost = 14

// readable is a kernel's name without its parameters.
func readable(symbol string) string {
	if symbol == "" {
		return "(a kernel without a name)"
	}
	if name, err := demangle.ToString(symbol, demangle.NoParams, demangle.NoEnclosingParams, demangle.MaxLength(readableMost)); err == nil {
		return name
	}
	return symbol
}

func number10(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func triple(s string) (t [3]int) {
	for i, part := range strings.SplitN(s, ",", 3) {
		t[i] = number10(part)
	}
	return t
}

// nodes reads counts by CUgraphNodeType.
func nodes(s string) (n Nodes) {
	known := map[int]*int{0: &n.Kernels, 1: &n.Copies, 2: &n.Sets, 3: &n.Hosts, 4: &n.Children, 5: &n.Empty, 6: &n.Waits, 7: &n.Events, 10: &n.Allocs, 11: &n.Frees, 13: &n.Conditionals}
	for i, part := range strings.Split(s, ",") {
		to := known[i]
		if to == nil {
			to = &n.Others
		}
		*to += number10(part)
	}
	return n
}
