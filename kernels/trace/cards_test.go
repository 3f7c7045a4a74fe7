package trace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// lengthOf is how long some periods are, what overlaps counted once: the plain way, with all
// of them at hand.
func lengthOf(list []period, from, to time.Duration) (sum time.Duration) {
	list = slices.SortedFunc(slices.Values(list), func(a, b period) int { return cmp.Compare(a.from, b.from) })
	at := from
	for _, p := range list {
		begins := max(p.from, at)
		if ends := min(p.to, to); ends > begins {
			sum += ends - begins
		}
		at = max(at, min(p.to, to))
	}
	return sum
}

const ever = time.Duration(1 << 60)

// worker makes a program of steps whose work overlaps, comes late, and stands in its file in
// an order of its own.
type worker struct {
	*forge
	random *rand.Rand
	works  []Work
	steps  []*workStep
	all    [2][]period // by card
}

type workStep struct {
	began, over time.Duration
	kinds       [2][2][]period // by card: of kernels, and of copies
}

func (w *worker) step(calls int, kernel uint32) {
	s := &workStep{began: w.now}
	w.push(fmt.Sprint("step ", len(w.steps)))
	for range calls {
		w.thread = 1 + w.random.IntN(2)
		card, kind := w.random.IntN(2), w.random.IntN(2)
		one := Work{Tie: w.ask(), Card: uint16(card), Kind: []Kind{Launch, Copy}[kind]}
		one.Start = w.now + time.Duration(w.random.IntN(200_000))
		one.End = one.Start + time.Duration(1+w.random.IntN(30_000))
		if kind == 0 {
			w.launch(kernel)
		} else {
			w.copy("cuMemcpyHtoDAsync_v2", 8)
		}
		w.wait(time.Duration(w.random.IntN(5000)))
		s.kinds[card][kind] = append(s.kinds[card][kind], period{one.Start, one.End})
		w.all[card] = append(w.all[card], period{one.Start, one.End})
		w.works = append(w.works, one)
	}
	w.thread = 1
	s.over = w.now
	w.pop()
	w.steps = append(w.steps, s)
}

// TestWorkByRuns: what cards did comes to the same, whatever order its records stand in, as
// with all of it at hand.
func TestWorkByRuns(t *testing.T) {
	for name, order := range map[string]func(r *rand.Rand, list []Work){
		"by end": func(_ *rand.Rand, list []Work) {
			slices.SortFunc(list, func(a, b Work) int { return cmp.Compare(a.End, b.End) })
		},
		"reversed": func(_ *rand.Rand, list []Work) { slices.Reverse(list) },
		"shuffled": func(r *rand.Rand, list []Work) {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &worker{forge: newForge(t), random: rand.New(rand.NewPCG(1, 2))}
			kernel := w.kernel("k", 1)
			for i := range 10 {
				w.step(100+100*i, kernel)
			}
			w.step(4*runSize, kernel)
			stray := Work{Tie: 1 << 30, Kind: Launch, Start: w.steps[3].began, End: w.steps[3].over}
			open := Work{Tie: 1<<30 + 1, Kind: Launch, Start: (w.steps[10].began + w.now) / 2}
			w.all[0] = append(w.all[0], period{stray.Start, stray.End}, period{open.Start, ever})
			w.works = append(w.works, stray, open)
			order(w.random, w.works)
			for _, one := range w.works {
				w.forge.works(one)
			}
			p := w.report(Counting{Warm: -1}).Processes[0]
			if d := p.Device; d == nil || d.Work != int64(len(w.works)) || d.Untied != 2 || d.Open != 1 || d.Untimed != 0 || d.Twice != 0 {
				t.Fatalf("%+v", p.Device)
			}
			w.check(t, &p)
		})
	}
}

// check holds what was counted against the plain way.
func (w *worker) check(t *testing.T, p *ProcessReport) {
	t.Helper()
	s := Report{Processes: []ProcessReport{*p}}.stage(t, "step")
	for card := range 2 {
		var busy, kernels, copies, overlap, late, idle, shares tally
		for _, step := range w.steps {
			of := step.kinds[card]
			k, c, a := lengthOf(of[0], 0, ever), lengthOf(of[1], 0, ever), lengthOf(slices.Concat(of[0], of[1]), 0, ever)
			kernels.add(int64(k))
			copies.add(int64(c))
			busy.add(int64(a))
			overlap.add(int64(k + c - a))
			late.add(int64(lengthOf(slices.Concat(of[0], of[1]), step.over, ever)))
			not := step.over - step.began - lengthOf(w.all[card], step.began, step.over)
			idle.add(int64(not))
			shares.add(int64(not) * ofShare / int64(step.over-step.began))
		}
		want := StageDevice{card, busy.spread(), kernels.spread(), copies.spread(), overlap.spread(), late.spread(), idle.spread(), shares.shares(), busy.sum.Total}
		if got := s.Device[card]; got != want {
			t.Errorf("card %d:\n%+v, want\n%+v", card, got, want)
		}
	}
}

// TestUnion: of very many periods the early ones are let go, and how long they were is
// known; what comes too late is said.
func TestUnion(t *testing.T) {
	var u union
	const n = 3 * unionMost
	for i := range time.Duration(n) {
		at := 10 * (i ^ 1) // two in turn
		if early := u.add(period{at, at + 4}, at); early != 0 {
			t.Fatalf("%d: %d", i, early)
		}
	}
	if len(u.list) > unionMost || u.length() != 4*n || u.after(10*(n-2)+2) != 2+4 {
		t.Errorf("%d held, %d long, %d at the end", len(u.list), u.length(), u.after(10*(n-2)+2))
	}
	if early := u.add(period{10, 14}, 10*n); early != 4 || u.length() != 4*n+4 {
		t.Errorf("%d early, %d long", early, u.length())
	}
	if early := u.add(period{u.past - 3, u.past + 20}, 10*n); early != 3 || u.length() != 4*n+4+3+12 {
		t.Errorf("%d early, %d long", early, u.length()-4*n)
	}
	u = union{}
	for i := range time.Duration(2 * unionMost) { // a card that has done nothing yet
		u.add(period{1000 + 10*i, 1004 + 10*i}, 0)
	}
	if len(u.list) != 2*unionMost || u.after(0) != 8*unionMost {
		t.Errorf("%d held", len(u.list))
	}
	u = union{}
	for _, p := range []period{{50, 60}, {10, 20}, {15, 30}, {30, 35}, {12, 14}, {34, 50}, {0, 1}} {
		u.add(p, 0)
	}
	if !slices.Equal(u.list, []period{{0, 1}, {10, 60}}) {
		t.Errorf("%v", u.list)
	}
}

// TestTies: calls come out of order, from several threads; what nobody asks for is let go
// before it is too much.
func TestTies(t *testing.T) {
	f := newForge(t)
	for tie := uint32(2); tie < 2*looseMost+40_000; tie += 2 {
		f.works(Work{Tie: tie, Kind: Launch, Start: time.Duration(tie), End: time.Duration(tie + 1)})
	}
	f.launch(f.kernel("k", 1))
	dir := t.TempDir()
	f.write(dir)
	r, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.Processes[0].works()
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	all := ties{from: w.byTie()}
	for i, tie := range []uint32{2, 4, 1998, 1, 1000, 998, 1001, 3, 1996, 40_000, 2000, 4} {
		got := all.of(tie)
		if is := tie%2 == 0 && i < 11; is != (len(got) == 1 && !got[0].tied) || is && got[0].Tie != tie {
			t.Errorf("%d: %d has %v", i, tie, got)
		} else if is {
			all.take(&got[0])
		}
	}
	last := uint32(2*looseMost + 39_998)
	if got := all.of(last); len(got) != 1 || len(all.of(2006)) != 0 || len(all.of(last-2)) != 1 || len(all.ahead) > looseMost+runSize {
		t.Errorf("%v, %d held", got, len(all.ahead))
	}
	if n := all.rest(); n != w.work-8 {
		t.Errorf("%d are left of %d", n, w.work)
	}
	if got := all.of(1 << 31); len(got) != 0 {
		t.Errorf("there is something behind the end: %v", got)
	}
}
