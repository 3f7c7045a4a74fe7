package reader

import "bytes"

// pieces joins the output of tests to whole lines. test2json hands out a piece
// without its newline where a test prints one, and cuts lines of more than 4 KiB.
type pieces struct {
	held []piece
	out  []byte
}

type piece struct {
	pkg, test string
	text      []byte
}

// Bounds of what is held back: a line of 64 KiB is longer than any pattern
// wants; 64 lines are more than as many tests running in parallel.
const (
	maxPiece  = 64 << 10
	maxPieces = 64
)

// hold keeps a piece back until the rest of its line comes. If it would be too
// much it returns what is there as a line.
func (p *pieces) hold(pkg, test, text []byte) []byte {
	i := p.find(pkg, test)
	if i < 0 {
		if len(p.held) == maxPieces || len(text) > maxPiece {
			return text
		}
		p.held = append(p.held, piece{string(pkg), string(test), bytes.Clone(text)})
		return nil
	}
	p.held[i].text = append(p.held[i].text, text...)
	if len(p.held[i].text) > maxPiece {
		return p.take(pkg, test, nil)
	}
	return nil
}

// take ends the line of a test: what was held of it, then text.
func (p *pieces) take(pkg, test, text []byte) []byte {
	i := p.find(pkg, test)
	if i < 0 {
		return text
	}
	p.out = append(append(p.out[:0], p.held[i].text...), text...)
	p.remove(i)
	return p.out
}

// takeAll ends every line of a package, one below the other.
func (p *pieces) takeAll(pkg []byte) []byte {
	var all [][]byte
	for i := 0; i < len(p.held); {
		if p.held[i].pkg == string(pkg) {
			all = append(all, p.held[i].text)
			p.remove(i)
			continue
		}
		i++
	}
	if len(all) == 0 {
		return nil
	}
	return bytes.Join(all, []byte("\n"))
}

func (p *pieces) find(pkg, test []byte) int {
	for i := range p.held {
		if p.held[i].test == string(test) && p.held[i].pkg == string(pkg) {
			return i
		}
	}
	return -1
}

func (p *pieces) remove(i int) {
	p.held = append(p.held[:i], p.held[i+1:]...)
}
