package judge

import (
	"strings"
	"testing"
)

// TestPlanIsByCoin: of the eight orders that a round can have each comes as often as
// a coin makes it, runs of a round share a seed, and a plan is the same each time.
func TestPlanIsByCoin(t *testing.T) {
	p := Plan{Control: "a", Arm: "b", Seed: 12}
	const n = 8000
	orders, seeds := map[string]int{}, map[uint64]bool{}
	for round := range n {
		var order strings.Builder
		places := p.Round(round)
		for slot, place := range places {
			if again := p.Round(round)[slot]; again != place || place.Round != round || place.Slot != slot {
				t.Fatalf("round %d, slot %d is %+v, and then %+v", round, slot, place, again)
			}
			if place.Seed != places[0].Seed || place.Seed == 0 || place.Seed > 1<<31 {
				t.Fatalf("round %d has the seeds %d and %d", round, places[0].Seed, place.Seed)
			}
			order.WriteString(place.Arm)
			if place.Twin {
				order.WriteString("'")
			}
		}
		orders[order.String()]++
		seeds[places[0].Seed] = true
	}
	if len(orders) != 8 || len(seeds) < n-2 {
		t.Errorf("%d orders, %d seeds: %v", len(orders), len(seeds), orders)
	}
	for order, count := range orders {
		if strings.Count(order, "a") != 2 || strings.Count(order, "'") != 1 || strings.HasPrefix(order, "aa") || strings.HasPrefix(order, "bb") {
			t.Errorf("order %s", order)
		}
		if count < n/8-120 || count > n/8+120 { // four standard deviations
			t.Errorf("order %s comes %d times of %d", order, count, n)
		}
	}
	if (Plan{Control: "a", Arm: "b", Seed: 13}).Round(0)[0].Seed == p.Round(0)[0].Seed {
		t.Error("two plans have the same seeds")
	}
}
