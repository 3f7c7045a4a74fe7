package verify

import (
	"slices"

	"gpuci/kernels/launch"
)

// Sight is what a backend sees beside the numbers, and what it runs on.
type Sight struct {
	// Orders says that it runs threads in another order where a job asks for one. Where
	// it does not, a second run is one of the same, whose bits must be the same too.
	Orders bool

	Numbers  []launch.Kind // what it tells while its results count
	Accesses bool          // it has programs that look at every access
	Counters []Counter     // of every witness line: the card, its driver
}

// HostSight is that of the host, which has no counters of its own.
func HostSight() Sight { return Sight{Orders: true, Numbers: numberKinds(), Accesses: true} }

// repeatName is the metric of elements that a second run of the same changes.
const repeatName = "repeat-differences"

// differName is the metric of two runs.
func (s Sight) differName() string {
	if s.Orders {
		return orderName
	}
	return repeatName
}

// runs is the counter of how often each case was run.
func (s Sight) runs(runs, cases int) Counter {
	if s.Orders {
		return counter("orders", orders(runs, cases))
	}
	return counter("repeats", orders(runs, cases))
}

// bars are those of a check, by the names that their numbers have here.
func (s Sight) bars(list []Bar) []Bar {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Metric == orderName {
			list[i].Metric = s.differName()
		}
	}
	return list
}

// has says whether the backend has programs of that look.
func (s Sight) has(l Look) bool { return s.Accesses || l != Accesses && l != Bounds }

// The backends that a check may be for.
const (
	OnHost = "host"
	OnCUDA = "cuda"
)

// On are the checks that run on a backend.
func On(backend string) (list []Check) {
	for _, c := range Checks() {
		if c.Only == "" || c.Only == backend {
			list = append(list, c)
		}
	}
	return list
}
