package config

import (
	"regexp"
	"slices"
	"strconv"
	"time"
)

// GPU says how gates come by the cards of a machine.
type GPU struct {
	Wait     time.Duration // the most that a gate waits for a card; 0: it is refused at once
	Headroom int64         // bytes of a card that must stay free beside a gate that shares it
	Cards    []string      // those that gates may use, by UUID or index; nil: all
	Harmless []string      // programs that open a card and use nothing of it, beside the usual ones
}

// defaultHeadroom is room for what a neighbour may ask for while the gate runs: an
// allocator that grows by 2 MiB pages, a cuBLAS workspace, one more context.
const defaultHeadroom = 2 << 30

// gpu reads [gpu].
func (l *layer) gpu(f *fields) {
	t := f.sub("gpu", "[gpu] above its lines")
	if t == nil {
		return
	}
	g := &l.config.GPU
	t.duration("wait", 0, &g.Wait)
	t.headroom(&g.Headroom)
	if t.only("cards", l.role == machine, "the machine's own file, /etc/gpuci.toml: which cards there are is a matter of the machine") {
		g.Cards = t.cardNames(g.Cards)
	}
	if t.only("harmless", l.role == machine, "the machine's own file, /etc/gpuci.toml: who may be on a card beside a gate is a matter of the machine") {
		if e, items := t.texts("harmless", `["dcgm-exporter"]`); e != nil {
			g.Harmless = t.programs(e, items, `harmless = ["dcgm-exporter"]`)
		}
	}
	t.done()
}

// headroom is a number of the machine, as links is: it keeps somebody else's job
// from running out of memory, so that a workspace and a person can only raise it.
func (f *fields) headroom(into *int64) {
	before, was := *into, f.config.origins["gpu.headroom"]
	if f.size("headroom", into); f.role == machine || *into >= before {
		return
	}
	*into = before
	if was.Line == 0 {
		delete(f.config.origins, "gpu.headroom")
		return
	}
	f.config.origins["gpu.headroom"] = was
}

// cardNames reads names of cards.
func (f *fields) cardNames(before []string) []string {
	const example = `["GPU-8f6d2a1c", "0"]`
	e, items := f.texts("cards", example)
	if e == nil {
		return before
	}
	if len(items) == 0 {
		f.bad(e, "write cards = "+example+", or leave the line out", "names no card")
	}
	var names []string
	for _, item := range items {
		if !isCard(item.text) {
			f.add(item.span, "write a UUID as nvidia-smi -L prints it, four digits of it at least, or an index in quotes", "%q in %s names no card: %s", e.key, f.label, quoted(item.text))
			continue
		}
		if !slices.Contains(names, item.text) {
			names = append(names, item.text)
		}
	}
	return names
}

// cardUUID is a card's UUID, or the beginning of one, which is enough where it is
// that of one card alone: four digits of sixteen at least, as the rules of protected
// runs want it.
var cardUUID = regexp.MustCompile(`^(?i:GPU|MIG|MIG-GPU)-[0-9A-Fa-f][0-9A-Fa-f/-]*$`)

const (
	minUUID = len("GPU-8f6d")
	maxCard = 9999 // an index
)

// isCard says whether a text can name a card.
func isCard(s string) bool {
	if n, err := strconv.ParseUint(s, 10, 16); err == nil {
		return strconv.FormatUint(n, 10) == s && n <= maxCard
	}
	return len(s) >= minUUID && cardUUID.MatchString(s)
}
