package trace

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// onCard is a time of the card in a stage: of several cards that of the one where it is the
// longest, or the largest. Where some of the work has no time there is no number: it would
// be too small, and the card more idle than it was.
func (m *measurer) onCard(kind Measure, stage *Stage, s *Summary) Figure {
	if why := s.untimed(kind, stage); why != "" {
		return Figure{Why: why}
	}
	list := slices.DeleteFunc(stage.timing.devices(), func(d StageDevice) bool { return d.Total == 0 })
	if len(list) == 0 { // the stage asked no card for anything
		if kind.Name == idleShare {
			return Figure{Why: "it asked the card for nothing"}
		}
		return Figure{N: stage.Warm(), Processes: 1}
	}
	if kind.Name == deviceTime {
		d := slices.MaxFunc(list, func(a, b StageDevice) int { return cmp.Compare(a.Busy.Median, b.Busy.Median) })
		return spreadFigure(d.Busy, time.Millisecond)
	}
	d := slices.MaxFunc(list, func(a, b StageDevice) int { return cmp.Compare(a.Share.Median, b.Share.Median) })
	if stage.Name == Outside && len(s.Stages) > 1 || stage.Name == AfterLast || d.Share.N == 0 {
		return Figure{Why: "it is no stretch of time, of which a share could be idle: name a stage that has steps"}
	}
	return Figure{N: int(d.Share.N), Low: d.Share.Low, Median: d.Share.Median, High: d.Share.High, Processes: 1}
}

// untimed is why times of the card are not all there; "" where they are. How idle a card
// was goes by all that it did.
func (s *Summary) untimed(kind Measure, stage *Stage) string {
	d := s.Device
	switch {
	case d == nil && s.Process.Timed.Asked:
		return "no times of the card were taken: " + cmp.Or(s.Process.Timed.Why, "CUPTI was not asked")
	case d == nil:
		return "no times of the card were taken: they were not asked for (timeline = true)"
	case stage.timing.untimed > 0:
		return have(stage.timing.untimed, "call") + " no time of the card: its record was dropped, or lost where the program was ended"
	case d.Twice > 0:
		return fmt.Sprintf("the card's work came so far out of order that %s may be counted twice", short(d.Twice))
	case kind.Name != idleShare:
		return ""
	}
	if lost := int64(d.Dropped+d.Unwritten) + d.NoTimes; lost > 0 {
		return fmt.Sprintf("%s of what the card did no time, and it may have been at work by then", have(lost, "record"))
	}
	return ""
}
