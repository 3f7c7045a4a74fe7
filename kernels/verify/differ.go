package verify

import (
	"math"
	"strconv"

	"gpuci/kernels/launch"
)

// orderName is the metric of elements that another order of threads changes.
const orderName = "order-differences"

// differ is what another order of threads changes.
type differ struct {
	elements int
	term     string // the first that differs: a buffer, outputs before the rest
	place    int    // the first element that differs in it
	name     string // the case
}

// differing compares the bits of all buffers, in the order of the job.
func differing(name string, job launch.Job, a, b launch.Result) (d differ) {
	for _, outputs := range []bool{true, false} {
		for _, buffer := range job.Buffers {
			if (buffer.Role == launch.Output) == outputs {
				d.compare(buffer.Name, a.Buffers[buffer.Name], b.Buffers[buffer.Name])
			}
		}
	}
	d.name = name
	return d
}

func (d *differ) compare(term string, x, y []float32) {
	for i := range max(len(x), len(y)) {
		if i < len(x) && i < len(y) && math.Float32bits(x[i]) == math.Float32bits(y[i]) {
			continue
		}
		if d.elements == 0 {
			d.term, d.place = term, i
		}
		d.elements++
	}
}

// add takes in another case's: the place stays that of the first.
func (d *differ) add(o differ) {
	if d.elements == 0 {
		d.term, d.place, d.name = o.term, o.place, o.name
	}
	d.elements += o.elements
}

// number is for a gate's bar; see names the check that finds the line.
func (d differ) number(name, see string) Number {
	n := Number{Name: name, Value: Real(d.elements)}
	if d.elements > 0 {
		n.Labels = Labels{{"first", d.term + "[" + strconv.Itoa(d.place) + "]"}, {"case", d.name}}
		if see != "" {
			n.Labels = append(n.Labels, Label{"see", see})
		}
	}
	return n
}
