package ci

import (
	"io"
	"os"

	"gpuci/ci/executor"
	"gpuci/gates"
)

// keepLoss records a task that is lost as a run, with what it said until then: the history
// tells of it, as of a gate that was refused here. One whose content cannot be had was not
// begun.
func (n *night) keepLoss(l *landed) {
	loss := l.status.Loss
	if n.plan.On == "" || loss == nil || l.cut || l.status.Verdict != nil || loss.Kind == executor.KindContent {
		return
	}
	h, g := l.task.Head, l.task.Gate
	v, err := gates.RecordUnrun(gates.Unrun{
		Gate: g.Name, Config: gates.SettingsID(g), Subject: g.Subject, Partial: len(l.task.Args) > 0,
		Outcome: loss.Outcome, Why: loss.Why, Next: loss.Next,
		Lane: h.Lane, Branch: h.Branch, Root: h.Root, Commit: h.Commit, Tree: h.Tree, Host: l.status.Where, Version: n.o.Version,
		Began: l.status.Since, Ended: n.clock.Wall(), Log: lastOf(l.status.Log), State: n.o.State, History: n.o.Past,
	})
	if err != nil {
		n.note("%v", err)
		return
	}
	l.status.Verdict = &v
	n.o.Past.Rest()
}

// lostLog is how much of a log is kept of a task that is lost: what led to it is at its end.
const lostLog = 1 << 20

// lastOf is the end of a file; nil where it cannot be read.
func lastOf(name string) []byte {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > lostLog {
		_, _ = f.Seek(-lostLog, io.SeekEnd)
	}
	data, _ := io.ReadAll(io.LimitReader(f, lostLog))
	return data
}
