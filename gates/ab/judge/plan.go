package judge

import "math/rand/v2"

// Plan is the order of a session: which arm runs when. It is drawn by coin, and
// what Judge says stands on that coin alone. A session that is resumed has the
// Plan it began with.
type Plan struct {
	Control string `json:"control"`
	Arm     string `json:"arm"`
	Seed    uint64 `json:"seed"` // of the coins and of the seeds given to the runs
}

// Place is one run of the plan.
type Place struct {
	Round int    `json:"round"` // from 0
	Slot  int    `json:"slot"`  // from 0, in the order of time within the round
	Arm   string `json:"arm"`
	Twin  bool   `json:"twin,omitempty"` // the control's second half: the A' of the A/A control
	Seed  uint64 `json:"seed"`           // what the run is to make its inputs of: that of the round
}

// Slots is how many runs a round has: two of each arm.
const Slots = 4

// Round gives the runs of a round in the order in which they are to be taken.
// It is two pairs of neighbours, each an arm beside the control, each in an order
// of its own coin; a third coin says in which of them the control is its twin.
func (p Plan) Round(n int) []Place {
	coins := rand.New(rand.NewPCG(p.Seed, uint64(n)))
	seed := coins.Uint64()>>33 + 1 // fits any program's int, and is not 0
	twinFirst := coins.Uint64()&1 == 1
	var places []Place
	for _, twin := range []bool{twinFirst, !twinFirst} {
		pair := []Place{{Arm: p.Control, Twin: twin}, {Arm: p.Arm}}
		if coins.Uint64()&1 == 1 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		places = append(places, pair...)
	}
	for i := range places {
		places[i].Round, places[i].Slot, places[i].Seed = n, i, seed
	}
	return places
}
