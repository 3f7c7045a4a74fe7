package buildlock

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// beat is what a holder writes into shared memory while it has the lock: when
// it got it and, again and again, that it is still running. What a process does
// after it was killed cannot be mistaken for holding: it writes nothing then.
// So two intervals that overlap were two holders that ran at the same time.
type beat struct {
	number  atomic.Uint64
	joined  atomic.Int64 // CLOCK_MONOTONIC, ns
	granted atomic.Int64
	last    atomic.Int64
}

const beatSize = int64(unsafe.Sizeof(beat{}))

// beats are the records of one child, in a file that it and the test map.
func beats(path string, n int) ([]beat, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(beatSize * int64(n)); err != nil {
		return nil, err
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, int(beatSize)*n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*beat)(unsafe.Pointer(&mem[0])), n), nil
}

func monotonic() int64 {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}

// heartOrder is what a heart is told.
type heartOrder struct {
	Dir   string
	Beats string // file
	Count int
	Hold  time.Duration // at most
	Seed  uint64
	Poll  bool // use flock's TryLockContext at 50 ms instead, as a benchmark's peer
}

// heart acquires and gives up again and again, in every way there is.
func heart() int {
	var o heartOrder
	if err := json.Unmarshal([]byte(os.Args[1]), &o); err != nil {
		fmt.Println("error", err)
		return 3
	}
	list, err := beats(o.Beats, o.Count)
	if err != nil {
		fmt.Println("error", err)
		return 3
	}
	random := rand.New(rand.NewPCG(o.Seed, 1))
	for i := range list {
		once := list[i].once
		if o.Poll {
			once = list[i].poll
		}
		if err := once(o, random); err != nil {
			fmt.Println("error", err)
			return 1
		}
	}
	return 0
}

func (b *beat) once(o heartOrder, random *rand.Rand) error {
	b.joined.Store(monotonic())
	t, err := Acquire(context.Background(), Options{Dir: o.Dir, Wait: -1})
	if err != nil {
		return err
	}
	b.number.Store(t.Number)
	b.hold(o, random)
	if random.IntN(3) == 0 { // as a process that ends without a word
		return t.file.Close()
	}
	return t.Release()
}

// poll is the peer: a lock that is looked at every 50 ms.
func (b *beat) poll(o heartOrder, random *rand.Rand) error {
	l := flock.New(o.Dir + "/polled")
	if _, err := l.TryLockContext(context.Background(), 50*time.Millisecond); err != nil {
		return err
	}
	b.hold(o, random)
	return l.Close()
}

// hold has the lock for a while, and beats.
func (b *beat) hold(o heartOrder, random *rand.Rand) {
	b.granted.Store(monotonic())
	hold := int64(0)
	if o.Hold > 0 {
		hold = random.Int64N(int64(o.Hold))
	}
	for now := monotonic(); ; now = monotonic() {
		b.last.Store(now)
		if now-b.granted.Load() >= hold {
			return
		}
	}
}

// span is a time in which somebody surely held the lock.
type span struct {
	number        uint64
	granted, last int64
	owner         int // which child
}

// TestChaos: random SIGKILLs of holders and waiters. The long form is make
// soak (GPUCI_SOAK=1): 2,000 acquisitions for each number of slots.
func TestChaos(t *testing.T) {
	total := 150
	if os.Getenv("GPUCI_SOAK") != "" {
		total = 2000
	}
	for slots := 1; slots <= 4; slots++ {
		t.Run(strconv.Itoa(slots), func(t *testing.T) { chaos(t, slots, total) })
	}
}

func chaos(t *testing.T, slots, total int) {
	dir := lockDir(t, slots)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 2))
	var spans []span
	kills := 0
	for round := 0; len(spans) < total; round++ {
		if round > total {
			t.Fatalf("only %d acquisitions in %d rounds", len(spans), round)
		}
		hold := []time.Duration{0, time.Millisecond, 4 * time.Millisecond}[random.IntN(3)]
		got, killed := chaosRound(t, dir, hold, random)
		spans, kills = append(spans, got...), kills+killed
	}
	checkSpans(t, spans, slots)
	for range slots { // no slot was lost
		take(t, Options{Dir: dir})
	}
	mustWait(t, Options{Dir: dir})
	t.Logf("%d acquisitions, %d processes killed", len(spans), kills)
	if kills == 0 {
		t.Error("nothing was killed: this proved nothing")
	}
}

// chaosRound runs eight hearts and kills most of them at random moments.
func chaosRound(t *testing.T, dir string, hold time.Duration, random *rand.Rand) (spans []span, killed int) {
	const hearts, each = 8, 12
	var cmds []*exec.Cmd
	var lists [][]beat
	for range hearts {
		cmd, list := startHeart(t, heartOrder{Dir: dir, Count: each, Hold: hold, Seed: random.Uint64()})
		cmds, lists = append(cmds, cmd), append(lists, list)
	}
	for range hearts - 2 {
		time.Sleep(time.Duration(random.IntN(15000)) * time.Microsecond)
		if cmds[random.IntN(hearts)].Process.Kill() == nil {
			killed++
		}
	}
	for _, cmd := range cmds {
		err := cmd.Wait()
		if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && !(ok && ws.Signal() == syscall.SIGKILL) {
			t.Errorf("heart: %v", err)
		}
	}
	return spansOf(lists), killed
}

func startHeart(t *testing.T, o heartOrder) (*exec.Cmd, []beat) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Beats = t.TempDir() + "/beats"
	list, err := beats(o.Beats, o.Count)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, string(text))
	cmd.Env = append(os.Environ(), childVariable+"=heart")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, list
}

func spansOf(lists [][]beat) (spans []span) {
	for owner, list := range lists {
		for i := range list {
			if s := (span{list[i].number.Load(), list[i].granted.Load(), list[i].last.Load(), owner}); s.granted > 0 && s.last > 0 {
				spans = append(spans, s)
			}
		}
	}
	return spans
}

// checkSpans: never more than slots at once, no number twice, and nobody
// goes past more than slots-1 that still wait.
func checkSpans(t *testing.T, spans []span, slots int) {
	t.Helper()
	slices.SortFunc(spans, func(a, b span) int { return int(a.granted - b.granted) })
	seen := map[uint64]bool{}
	passed := map[uint64]int{} // how many lower ones were granted later
	for i, s := range spans {
		if seen[s.number] {
			t.Errorf("number %d was given twice", s.number)
		}
		seen[s.number] = true
		beside := 0
		for _, o := range spans[:i] {
			if o.last > s.granted {
				beside++
			}
			if o.number > s.number {
				passed[o.number]++
			}
		}
		if beside >= slots {
			t.Errorf("ticket %d was granted beside %d others; there are %d slots", s.number, beside, slots)
		}
	}
	for n, waiting := range passed {
		if waiting >= slots {
			t.Errorf("ticket %d went past %d that were still waiting; with %d slots at most %d can be", n, waiting, slots, slots-1)
		}
	}
}

// The checker finds what it is there for.
func TestCheckSpansSees(t *testing.T) {
	for name, spans := range map[string][]span{
		"two at once":     {{1, 10, 20, 0}, {2, 15, 30, 0}},
		"a number twice":  {{1, 10, 20, 0}, {1, 25, 30, 0}},
		"out of order":    {{2, 10, 20, 0}, {1, 25, 30, 0}},
		"three at once/2": {{1, 10, 40, 0}, {2, 15, 40, 0}, {3, 20, 30, 0}},
	} {
		slots := 1
		if name == "three at once/2" {
			slots = 2
		}
		probe := &testing.T{}
		checkSpans(probe, spans, slots)
		if !probe.Failed() {
			t.Errorf("%s: not seen", name)
		}
	}
}
