package gates

import (
	"fmt"
	"strings"
	"testing"
)

const byTimes = `
  [gate.trace]
  step = 'step (\d+)'
  warm = 1
  timeline = true
  [[gate.bar]]
  metric = "device-ms"
  source = "trace"
  max = 21
  [[gate.bar]]
  metric = "unused"
  source = "trace"
  measure = "idle-share"
  max = 1
  [[gate.metric]]
  metric = "price"
  source = "trace"
  measure = "step-ms"
`

// busySteps are those of one kernel each, that is at work for so many ms.
func (s *tracedStage) busySteps(ms ...int) string {
	var each [][]string
	for _, n := range ms {
		each = append(each, []string{fmt.Sprintf("takes %d000000", n), "launch busy 1 32"})
	}
	return s.stepsOf(each...)
}

// How long the card is at work in a step is a number, and so is how idle it is by then; the
// host's times beside these are of another series.
func TestTracedTimes(t *testing.T) {
	s := newTracedStage(t, byTimes)
	v := s.run(s.busySteps(90, 20, 20, 20))
	said(t, v, Green)
	busy, unused := v.Bars[0], v.Bars[1]
	if busy.Matches != 3 || busy.Worst.Unit != "ms" || busy.Worst.Value < 19.9 || busy.Worst.Series() != "stage=step" {
		t.Errorf("%+v", busy)
	}
	if unused.Matches != 3 || unused.Worst.Unit != "share" || unused.Worst.Value < 0 || unused.Worst.Value >= 1 || unused.Worst.Series() != "measure=idle-share stage=step" {
		t.Errorf("%+v", unused)
	}
	if got := fmt.Sprint(v.Metrics); !strings.Contains(got, "timeline:true") {
		t.Errorf("the price is beside times of the card: %s", got)
	}
	said(t, s.run(s.busySteps(90, 20, 30, 30)), Red, "device-ms: 30", "is above 21")
}

// A number that lacks some of the card's work is none.
func TestTracedTimesMissing(t *testing.T) {
	for env, why := range map[string]string{
		"CUPTI_STANDIN_ACTIVITY=35": "no times of the card were taken: ",
		"CUPTI_STANDIN_DROP=4":      "has no time of the card: its record was dropped",
	} {
		s := newTracedStage(t, byTimes)
		s.opt = func(o *Options) { o.Env = append(o.Env, env) }
		said(t, s.run(s.busySteps(1, 1, 1, 1)), Broken, "device-ms, unused: ", why)
	}
}
