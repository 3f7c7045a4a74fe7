package gates

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gpuci/kernels/device"
	"gpuci/kernels/device/protected"
)

// A gate that may share a card and began alone on it leaves the same room to somebody
// who comes as to one who was there; alone it may take all.
func TestCardRoomForWhoComes(t *testing.T) {
	s := newCardStage(t)
	done := s.begin(sharing(strings.Replace(cuda, "1073741824", "150000000000", 1)+meet), s.cards())
	before := s.samples()
	await(t, "a look with it on the card", func() bool { return s.samples() >= before+2 })
	if len(done) > 0 {
		t.Fatalf("alone: %+v", <-done)
	}
	s.box.Guest(0, 1<<20)
	wants(t, <-done, Refused, OweContended, "it was ended: ", "which it shares", "must not run out of memory")
}

// A gate that may share and is alone is not ended for memory of its own that the driver is
// taking down; for more than that it is.
func TestCardRoomTakedown(t *testing.T) {
	const bytes = 150_000_000_000
	for name, c := range map[string]struct {
		used int64
		then string
	}{
		"its own":           {bytes, "sleep 0.7"},
		"more than its own": {bytes + 400_000_000, "sleep 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			child := strings.Replace(cuda, "1073741824", fmt.Sprint(bytes), 1) + meet
			done := s.begin(sharing(fmt.Sprintf(`sh -c '%s'; echo "card 0 used %d" >> $NVML_STANDIN; %s; echo "card 0 used 0" >> $NVML_STANDIN`, child, c.used, c.then)), s.cards())
			before := s.samples()
			await(t, "a look with it on the card", func() bool { return s.samples() >= before+2 })
			s.goOn()
			if c.used == bytes {
				wants(t, <-done, Green, "")
			} else {
				wants(t, <-done, Refused, OweContended, "it was ended: nothing was free", "must not run out of memory")
			}
		})
	}
}

// Where a gate has several cards it is said on which somebody came.
func TestCardContendedWhich(t *testing.T) {
	s := newCardStage(t)
	s.box.Write("card 1 name NVIDIA H200")
	g := needing(meet)
	g.Card.Count = 2
	done := s.begin(g, s.cards())
	guest := s.box.Guest(1, 1<<30)
	s.saw(device.Busy)
	s.goOn()
	wants(t, <-done, Refused, OweContended, fmt.Sprintf("contended: on the card came pid %d (", guest.PID), ", on NVIDIA H200 1 ("+s.box.UUID(1)[:12])
}

// protect is a rule by a pid file that is not there yet.
func (s *cardStage) protect() (rule protected.Rule, begins func(pid int)) {
	file := filepath.Join(s.root, "train.pid")
	return protected.Rule{Name: "train", PIDFile: file}, func(pid int) {
		if err := os.WriteFile(file+".new", []byte(strconv.Itoa(pid)), 0o644); err != nil {
			s.t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			s.t.Fatal(err)
		}
	}
}

// A protected run that comes on the card of a gate is given way to: by one that shares
// it, also where it had let somebody be of whom it could not know, and by one that has
// it alone. Who is ended for it queues for longer than that one has left.
func TestCardProtectedComes(t *testing.T) {
	for _, share := range []bool{true, false} {
		t.Run(fmt.Sprintf("share-gpu %t", share), func(t *testing.T) {
			s := newCardStage(t)
			rule, begins := s.protect()
			rule.Log, rule.Progress = filepath.Join(s.root, "train.log"), `left (?P<eta>\S+)`
			g := needing(cuda + meet)
			trainer := s.box.Opener(0)
			if err := os.WriteFile(rule.Log, []byte("left 20:00:00\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			list := func() { s.box.Write(fmt.Sprintf("process 0 compute %d 1000000", trainer.PID)) }
			if share {
				g = sharing(cuda + meet)
				list()
			} else {
				begins(trainer.PID)
			}
			cmd := s.gpuci(g, rule)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			await(t, "the run", func() bool { return isThere(filepath.Join(s.root, "there")) })
			if begins(trainer.PID); !share {
				list()
			}
			text, _ := io.ReadAll(out)
			_ = cmd.Wait()
			var v Verdict
			if err := json.Unmarshal(text, &v); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			wants(t, v, Refused, OweContended, "it was ended: the protected run train (pid "+strconv.Itoa(trainer.PID),
				"run it again: gpuci gate fused --wait 21h queues for the card")
		})
	}
}

// A protected run that pauses is named as who the card is shared with.
func TestCardSharedWithAPause(t *testing.T) {
	s := newCardStage(t)
	rule, begins := s.protect()
	begins(s.box.Bystander().PID)
	rule.Share, rule.Cards = true, []string{s.box.UUID(0)}
	v := verdictOf(t, s.gpuci(sharing("true"), rule))
	wants(t, v, Green, "", "shared the card with the protected run train (pid ")
	if len(v.Card.Shared) != 1 || !strings.Contains(v.Card.Shared[0], "train") {
		t.Errorf("shared %q", v.Card.Shared)
	}
}

// What is unknown before a run is unknown in it, and at its end: it is refused, and owed.
func TestCardUnknownInTheMiddle(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"a number that nobody has":  {[]string{"ghost 0 compute 3999999 1000"}, "pid 3999999"},
		"no card any more":          {[]string{"error DeviceGetHandleByIndex_v2 15"}, "does not list this card"},
		"no look after it":          {[]string{"error DeviceGetCount_v2 999"}, "the looks after it were not answered"},
		"memory without an owner":   {[]string{"card 0 used 53687091200"}, "no process that the driver lists has them"},
		"samples of somebody short": {[]string{"use 0 3999999 90"}, "pid 3999999 used it"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCardStage(t)
			done := s.begin(needing(meet), s.cards())
			before := s.samples()
			looks := 1
			if strings.HasPrefix(c.lines[0], "use ") { // those of the first second can be older than the run
				looks = 2
			}
			await(t, "the watch", func() bool { return s.samples() >= before+looks })
			s.box.Write(c.lines...)
			s.goOn()
			wants(t, <-done, Refused, OweUnknown, "who was on the card while it ran is not known", c.want)
		})
	}
}

// The gate's own processes are no doubt, however short they are: here each is on the
// card for a few hundredths of a second.
func TestCardOfManyShortProcesses(t *testing.T) {
	s := newCardStage(t)
	one := `exec 9<$GPUCI_NVIDIA_ROOT/dev/nvidia0; echo "process 0 compute $$ 1073741824" >> $NVML_STANDIN; sleep 0.03`
	g := needing(`for i in $(seq 40); do sh -c "$ONE"; done`)
	g.Env = map[string]string{"ONE": one}
	v := s.run(g)
	wants(t, v, Green, "")
	if len(v.Card.Doubts) > 1 || v.Card.Cards[0].OwnLooks == 0 {
		t.Errorf("doubts %+v, seen in %d looks", v.Card.Doubts, v.Card.Cards[0].OwnLooks)
	}
}

// A gate that never touches its card may have measured something else.
func TestCardUnused(t *testing.T) {
	s := newCardStage(t)
	wants(t, s.run(needing("true")), Green, "", unusedMark+"NVIDIA H200 0")
	done := s.begin(needing(cuda+meet), s.cards())
	before := s.samples()
	// The first that comes may be of a look that began before the gate was on the card.
	await(t, "a look", func() bool { return s.samples() > before+1 })
	s.goOn()
	if v := <-done; v.Outcome != Green || strings.Contains(fmt.Sprint(v.Marks), unusedMark) {
		t.Errorf("%s, marks %q", v.Outcome, v.Marks)
	}
}

// Alone on its card a gate may take all of it; a moment of lists and memory that do not
// fit, as where a process of its own ends, is nobody.
func TestCardRoomAlone(t *testing.T) {
	at := time.Now()
	for name, c := range map[string]struct {
		states []device.State
		ours   bool
		ended  bool
	}{
		"a moment":            {[]device.State{device.Unknown, device.Unknown, device.Quiet, device.Unknown, device.Unknown}, false, false},
		"longer":              {[]device.State{device.Quiet, device.Unknown, device.Unknown, device.Unknown}, false, true},
		"longer, and is ours": {[]device.State{device.Quiet, device.Unknown, device.Unknown, device.Unknown, device.Unknown}, true, false},
		"somebody is there":   {[]device.State{device.Quiet, device.Busy}, true, true},
	} {
		g := &guard{cards: &Cards{Headroom: 2 << 30}, uuids: []string{"GPU-a"}, share: true, stop: func(error) {}, room: time.Now(), odd: map[string]odd{}}
		for i, state := range c.states {
			card := device.Seen{Card: device.Card{UUID: "GPU-a", Free: device.Told(0)}, State: state, Ours: c.ours}
			g.free(device.Look{At: at.Add(time.Duration(i) * 100 * time.Millisecond), Cards: []device.Seen{card}})
		}
		if (g.ended() != "") != c.ended {
			t.Errorf("%s: %q", name, g.ended())
		}
	}
}

// While somebody is on the card of a gate that wants it alone, the rules are asked again
// and again: one may know him late, or be told of him when he comes back.
func TestCardRulesAgain(t *testing.T) {
	g := &guard{uuids: []string{"GPU-a"}, known: map[[2]uint64]bool{}, ask: make(chan struct{}, 1)}
	look := func(foreign ...device.Process) (asked bool) {
		g.look(device.Look{Cards: []device.Seen{{Card: device.Card{UUID: "GPU-a"}, Foreign: foreign}}})
		select {
		case <-g.ask:
			return true
		default:
			return false
		}
	}
	guest := device.Process{PID: 4711, Start: 5, Valid: true}
	for i, step := range []struct {
		on           []device.Process
		asked, again bool
	}{{nil, false, false}, {[]device.Process{guest}, true, true}, {[]device.Process{guest}, false, true}, {nil, false, false}, {[]device.Process{guest}, true, true}} {
		if asked := look(step.on...); asked != step.asked || g.again() != step.again {
			t.Errorf("look %d: asked %t, again %t", i, asked, g.again())
		}
	}
}

func TestShort(t *testing.T) {
	if text := short(-372<<20, 2<<30); strings.Contains(text, "-") || !strings.HasPrefix(text, "nothing was free") {
		t.Error(text)
	}
	if text := short(1<<30, 2<<30); text != "1.0 GiB of 2.0 GiB were free" {
		t.Error(text)
	}
}
