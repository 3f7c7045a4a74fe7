package buildlock

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// reserve makes a reservation or fails the test.
func reserve(t *testing.T, dir string, r Reservation) Reservation {
	t.Helper()
	h, err := Reserve(t.Context(), dir, r)
	if err != nil {
		t.Fatal(err)
	}
	return h.Reservation
}

// inForce lists the reservations of a directory.
func inForce(t *testing.T, dir string) []Reservation {
	t.Helper()
	list, err := Reservations(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A reservation of one user: another one reads it, and can neither replace it nor
// give it up; root can, with a reason that is kept. What has expired is nobody's
// obstacle.
func TestReservationOfAnother(t *testing.T) {
	dir := lockDir(t, 1)
	if list := inForce(t, dir); len(list) != 0 {
		t.Fatalf("%+v", list)
	}
	until := time.Now().Add(time.Hour)
	first := reserve(t, dir, Reservation{Card: cardA, Until: until, Why: "mine"})
	again := reserve(t, dir, Reservation{Card: cardA, Until: until.Add(time.Hour), Why: "for longer"})
	list := inForce(t, dir)
	if len(list) != 1 || list[0].Why != "for longer" || list[0].UID != os.Getuid() || first.File == again.File {
		t.Errorf("it was not replaced: %+v", list)
	}
	const alice, bob = 65534, 65533
	as(t, alice, func() {
		_, err := Reserve(t.Context(), dir, Reservation{Card: cardA, Until: until, Why: "hers"})
		if !errors.Is(err, ErrReserved) || !strings.Contains(err.Error(), "until "+ClockText(until.Add(time.Hour), time.Now())+": for longer") {
			t.Errorf("another user reserves it too: %v", err)
		}
		err = Unreserve(t.Context(), dir, cardA, os.Getuid(), "because")
		if !errors.Is(err, ErrNotOwner) && !errors.Is(err, ErrNoReservation) {
			t.Errorf("another user gives it up: %v", err)
		}
		if _, err = Reserve(t.Context(), dir, Reservation{Card: cardB, Until: until, Why: "hers"}); err != nil {
			t.Error(err)
		}
	})
	as(t, bob, func() {
		if err := Unreserve(t.Context(), dir, cardB, alice, "because"); !errors.Is(err, ErrNotOwner) {
			t.Errorf("bob gives up what is alice's: %v", err)
		}
		if err := os.Remove(ReservedBy(inForce(t, dir), cardB)[0].File); err == nil {
			t.Error("the directory is not sticky")
		}
		if err := os.WriteFile(ReservedBy(inForce(t, dir), cardB)[0].File+voidSuffix, []byte("{}"), 0o666); err != nil {
			t.Error(err)
		}
		if len(ReservedBy(inForce(t, dir), cardB)) != 1 {
			t.Error("bob's word takes away what is alice's")
		}
	})
	if err := Unreserve(t.Context(), dir, cardB, alice, ""); err == nil || !strings.Contains(err.Error(), "say why") {
		t.Errorf("root needs no reason: %v", err)
	}
	if err := Unreserve(t.Context(), dir, cardB, alice, "she is on leave"); err != nil {
		t.Fatal(err)
	}
	if list := inForce(t, dir); len(list) != 1 || list[0].Card != cardA {
		t.Errorf("it is still in force: %+v", list)
	}
	words, err := filepath.Glob(filepath.Join(dir, "reserved", "*.void"))
	if err != nil || len(words) != 1 {
		t.Fatalf("no word is kept: %v, %v", words, err)
	}
	if text, err := os.ReadFile(words[0]); err != nil || !strings.Contains(string(text), "she is on leave") {
		t.Errorf("the word is %q, %v", text, err)
	}
	if err := Unreserve(t.Context(), dir, cardA, -1, ""); err != nil {
		t.Fatal(err)
	}
	if err := Unreserve(t.Context(), dir, cardA, -1, ""); !errors.Is(err, ErrNoReservation) {
		t.Errorf("given up twice: %v", err)
	}
}

func TestReservationExpires(t *testing.T) {
	dir := lockDir(t, 1)
	if _, err := Reserve(t.Context(), dir, Reservation{Card: cardA, Until: time.Now().Add(-time.Second), Why: "late"}); err == nil {
		t.Error("a time that is over is taken")
	}
	r := reserve(t, dir, Reservation{Card: cardA, Until: time.Now().Add(time.Hour), Why: "soon over"})
	old := r
	old.Until = time.Now().Add(-time.Minute) // an hour later
	text, err := json.Marshal(old)
	if err == nil {
		err = os.WriteFile(r.File, text, 0o644)
	}
	if err == nil {
		err = os.Chown(r.File, 65533, -1)
	}
	needs(t, err == nil, "root")
	if list := inForce(t, dir); len(list) != 0 {
		t.Errorf("in force: %+v", list)
	}
	as(t, 65534, func() { // who cannot remove it
		if _, err := Reserve(t.Context(), dir, Reservation{Card: cardA, Until: time.Now().Add(time.Hour), Why: "next"}); err != nil {
			t.Error(err)
		}
	})
	if list := inForce(t, dir); len(list) != 1 || list[0].UID != 65534 || list[0].Why != "next" {
		t.Errorf("in force: %+v", list)
	}
	reserve(t, dir, Reservation{Card: cardB, Until: time.Now().Add(time.Hour), Why: "tidies up"})
	if _, err := os.Lstat(r.File); !os.IsNotExist(err) {
		t.Errorf("what has expired is left: %v", err)
	}
}

// What cannot be understood is named, and its card counts as reserved.
func TestReservationTrouble(t *testing.T) {
	dir := lockDir(t, 1)
	r := reserve(t, dir, Reservation{Card: cardA, Until: time.Now().Add(time.Hour), Why: "to be spoilt"})
	whole, err := os.ReadFile(r.File)
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"torn": string(whole[:len(whole)/2]), "empty": "", "of another card": strings.Replace(string(whole), "aaaa", "cccc", 1),
		"without an end": strings.Replace(string(whole), `"until"`, `"till"`, 1), "too long": string(whole) + strings.Repeat("x", maxRecord),
	} {
		if err := os.WriteFile(r.File, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		list := ReservedBy(inForce(t, dir), cardA)
		if len(list) != 1 || list[0].Trouble == "" || !strings.Contains(list[0].Text(time.Now()), r.File) {
			t.Errorf("%s: %+v", what, list)
		}
	}
	if _, err := Reserve(t.Context(), dir, Reservation{Card: cardA, Until: time.Now().Add(time.Hour), Why: "over it"}); !errors.Is(err, ErrReserved) {
		t.Errorf("reserved over it: %v", err)
	}
	if err = os.Remove(r.File); err == nil {
		err = unix.Mkfifo(r.File, 0o666)
	}
	if list := inForce(t, dir); err != nil || len(list) != 1 || list[0].Trouble == "" {
		t.Errorf("a FIFO: %+v, %v", list, err)
	}
	if err := Unreserve(t.Context(), dir, cardA, -1, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(r.File, 0o755); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(r.File, "kept")
	if err := os.WriteFile(kept, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Unreserve(t.Context(), dir, cardA, -1, ""); !errors.Is(err, ErrUnfit) || Remedy(err, dir) != "look at it, and remove it by hand: rm -r "+r.File {
		t.Errorf("a directory with something in it: %v, %q", err, Remedy(err, dir))
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if err := Unreserve(t.Context(), dir, cardA, -1, ""); err != nil || len(inForce(t, dir)) != 0 {
		t.Errorf("an empty directory: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "reserved", "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	list := inForce(t, dir)
	if len(list) != 1 || list[0].Card != "" || list[0].Trouble == "" || len(ReservedBy(list, "")) != 0 {
		t.Fatalf("a file of somebody's: %+v", list)
	}
	if text := list[0].Stray(); !strings.Contains(text, "notes.txt of ") || !strings.Contains(text, " reserves no card") {
		t.Errorf("it is said to be %q", text)
	}
}

// A reservation for a command ends with the last of its processes, and who runs
// below it knows it as its own.
func TestReservationHeld(t *testing.T) {
	dir := lockDir(t, 1)
	c := startAs(t, "reserve", reserveOrder{Dir: dir, Card: cardA,
		Keep: command(t, "reserve", reserveOrder{Dir: dir}) + "; exec 4<&0; { echo up; read x <&4; } & wait"})
	c.hears("reserved")
	list := inForce(t, dir)
	if len(list) != 1 || !list[0].Held || list[0].Ours() || !strings.Contains(list[0].Text(time.Now()), fmt.Sprintf("while pid %d (nsys profile) runs: a profile", c.cmd.Process.Pid)) {
		t.Fatalf("%+v", list)
	}
	if _, err := Reserve(t.Context(), dir, Reservation{Card: cardA, Until: time.Now().Add(time.Hour), Why: "as well"}); !errors.Is(err, ErrReserved) {
		t.Errorf("reserved twice: %v", err)
	}
	c.say("exec")
	c.hears(cardA + " true <nil>")
	c.hears("up")
	if err := c.cmd.Process.Kill(); err != nil { // the shell alone
		t.Fatal(err)
	}
	_, _ = c.cmd.Process.Wait()
	// Who has it then is named, and not who is gone.
	if list := inForce(t, dir); len(list) != 1 {
		t.Error("it ended before what the command left running")
	} else if text := list[0].Text(time.Now()); len(list[0].Keepers) == 0 || !strings.Contains(text, fmt.Sprintf("while pid %d (%s) run", list[0].Keepers[0].PID, list[0].Keepers[0].Comm)) && !strings.Contains(text, " and pid ") || !strings.Contains(text, fmt.Sprintf("which pid %d has left: a profile", c.cmd.Process.Pid)) {
		t.Errorf("%q, kept by %+v", text, list[0].Keepers)
	}
	_ = c.in.Close()
	soon(t, "it ends with the last process", func() bool { return len(inForce(t, dir)) == 0 })
	d := startAs(t, "reserve", reserveOrder{Dir: dir, Card: cardA})
	d.hears("reserved")
	d.say("release")
	d.hears("released <nil>")
	if len(inForce(t, dir)) != 0 {
		t.Error("it was not released")
	}
}
