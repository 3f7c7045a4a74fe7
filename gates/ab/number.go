package ab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/metric"
)

// stepLabels are labels that count what a run does again and again: values that differ
// in nothing else are of one series.
var stepLabels = []string{"step", "iter", "iteration", "epoch", "rep"}

// keyOf is the series of a number, for people: its name and labels.
func keyOf(s metric.Sample) string {
	labels := maps.Clone(s.Labels)
	for _, l := range stepLabels {
		delete(labels, l)
	}
	s.Labels = labels
	return strings.TrimSpace(s.Metric + " " + s.Series())
}

// number is one number that a run printed.
type number struct {
	key string
	metric.Sample
}

// maxNumbers bounds what is read of a run: as many as the run writes down.
const maxNumbers = 200_000

// readNumbers reads what a run printed, in its order.
func readNumbers(dir string) (list []number, err error) {
	f, err := os.Open(filepath.Join(dir, "metrics.jsonl"))
	if errors.Is(err, os.ErrNotExist) { // none was printed
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read numbers: %w", err)
	}
	defer f.Close()
	for in := json.NewDecoder(bufio.NewReader(f)); len(list) < maxNumbers; {
		var s metric.Sample
		err := in.Decode(&s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read numbers in %s: %w", f.Name(), err)
		}
		list = append(list, number{keyOf(s), s})
	}
	return list, nil
}

// timesOf are the two times that every run has.
func timesOf(v gates.Verdict) map[string]float64 {
	out := map[string]float64{Wall: 0, CPU: 0}
	for _, c := range v.Commands {
		if c.Step == "run" {
			out[Wall] += c.Seconds
			out[CPU] += c.Used.CPU
		}
	}
	return out
}

// keysOf has one number of each series, in the order in which they came.
func keysOf(printed []number) (out []number) {
	for _, n := range printed {
		if !slices.ContainsFunc(out, func(o number) bool { return o.key == n.key }) {
			out = append(out, n)
		}
	}
	return out
}

// reading is a metric's value in one run, and how many numbers it is the median of.
type reading struct {
	value float64
	steps int
}

// read takes a metric from a run: of a quality the last number, which is what the run
// came to; of any other the median of what it printed behind the first warm numbers. A
// run does the same thing again and again to be warm, and a mean would have the one step
// in it in which somebody else had the processor.
func (m Metric) read(printed []number, times map[string]float64, warm int) (reading, error) {
	if v, ok := times[m.Name]; ok {
		return reading{v, 1}, nil
	}
	var values []float64
	for _, n := range printed {
		if n.key != m.Name {
			continue
		}
		if unit := metric.UnitOf(n.Metric, n.Unit); unit != m.Unit {
			return reading{}, fmt.Errorf("%s is printed in %s, and by the base in %s: nothing is converted", m.Name, unitName(unit), unitName(m.Unit))
		}
		values = append(values, n.Value)
	}
	if m.Quality && len(values) > 0 {
		return reading{values[len(values)-1], 1}, nil
	}
	if len(values) == 0 {
		return reading{}, fmt.Errorf("it does not print %s, as the base does", m.Name)
	}
	if len(values) <= warm {
		return reading{}, fmt.Errorf("%s was printed %d times, and the first %d are for warming up", m.Name, len(values), warm)
	}
	values = values[warm:]
	slices.Sort(values)
	mid := len(values) / 2
	v := values[mid]
	if len(values)%2 == 0 {
		v = values[mid-1] + (values[mid]-values[mid-1])/2
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return reading{}, fmt.Errorf("%s is no finite number", m.Name)
	}
	return reading{v, len(values)}, nil
}

func unitName(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return unit
}
