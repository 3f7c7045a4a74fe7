package ci

import (
	"context"
	"slices"
	"time"

	"gpuci/ci/executor"
)

// cancelTime is how long a signal may take to end all: whoever sends it follows with
// SIGKILL soon. CI servers give between 2.5 s and 10 s.
const cancelTime = 2 * time.Second

// bringDown ends all tasks that are with the executor, and gives them all: those that came
// to something by themselves, and those that were cut off. That they are to end is written
// down before: where we are killed in the middle of it, the next gpuci goes on with that.
func (d *dispatch) bringDown(why error) []landed {
	list := d.early
	d.early = nil
	if len(d.out) == 0 {
		return list
	}
	d.add(line{Type: stopping, Why: why.Error()})
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	cookies := d.cookies()
	err := d.ex.Cancel(ctx, cookies)
	if err != nil {
		d.note("%v; gpuci ci cancel %s ends what is left", err, d.id)
		d.left = true
	}
	for d.limits.Here && len(d.out) > 0 {
		d.wait(context.Background())
		list = append(list, d.look(context.Background())...)
	}
	if len(d.out) > 0 {
		list = append(list, d.look(ctx)...)
	}
	for i, l := range list {
		list[i].cut = l.status.Loss != nil && l.status.Loss.Kind == kindCancelled
	}
	for _, cookie := range d.cookies() {
		list = append(list, landed{task: d.out[cookie].task, status: executor.Status{Cookie: cookie, Phase: executor.Done}, cut: true})
		delete(d.out, cookie)
	}
	if err == nil {
		d.add(line{Type: cut, Cookies: cookies})
	}
	return list
}

// kindCancelled is the loss of a task that somebody has ended, as we do.
const kindCancelled = "cancelled"

// cookies are those of what is with the executor, in the order of their numbers.
func (d *dispatch) cookies() (list []string) {
	for c := range d.out {
		list = append(list, c)
	}
	slices.Sort(list)
	return list
}
