package history

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Form 0 has no database, only what runs and sweeps left.
func TestForm0(t *testing.T) {
	st := newStage(t)
	if err := os.CopyFS(st.dir, os.DirFS("testdata/form-0")); err != nil {
		t.Fatal(err)
	}
	s := st.open()
	if ids := st.runs(s, Query{Partial: true}); strings.Join(ids, " ") != "20260302T110000Z-4e5f6a7b 20260301T100000Z-0a1b2c3d" {
		t.Errorf("%q", ids)
	}
	st.mustNote("2 earlier runs", "1 cannot be read")
	got, err := s.Find(t.Context(), "20260301T100000Z-0a1b2c3d")
	if err != nil {
		t.Fatal(err)
	}
	low, high, launches := 1.1e-7, 6.3e-7, 12.0
	want := Result{
		Run: "20260301T100000Z-0a1b2c3d", Gate: "fused-adjoint", Lane: "kda-adjoint", Root: "/src/kda-adjoint", Outcome: "green",
		Started: time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.UTC), Seconds: 53.5, Commit: "8f14e45fceea167a5a36dedd4bea2543c1b2a9d0",
		Branch: "kda-adjoint", Config: "1f0e3dad99908345f7439f8ffabdffc4", Profile: "debug", Backend: "cuda", Host: "box", Kernel: "6.8.0", Gpuci: "dev",
		UID: os.Geteuid(), Marks: []string{"under pressure: waited 41s"}, Tests: &Tests{Reader: "libtest", Passed: 3, Ignored: 1, Filtered: 2, Suites: 1},
		Metrics: []Metric{
			{Metric: "worst-rel", Labels: "term=d_k", Count: 1, Low: low, High: low, Last: &low},
			{Metric: "worst-rel", Labels: "term=d_g", Count: 1, Low: high, High: high, Last: &high},
			{Metric: "bwd", Labels: `chunks=4 shape="1 x 4"`, Unit: "ms", Count: 2, Low: 2.25, High: 2.5},
			{Metric: "launches", Count: 1, Low: 12, High: 12, Last: &launches},
		},
		Tools:    []Tool{{Name: "cargo", Path: "/usr/bin/cargo", Version: "cargo 1.90.0"}},
		Products: []Product{{Path: "target/debug/deps/fused-0123456789abcdef", SHA256: "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f", Bytes: 123456}},
		Used:     &Used{CPU: 19.25, Read: 4096, Written: 8192, Switches: 12, Peak: 1 << 20},
		Stall:    &Stall{IOFull: &Extent{0.125, 0.86}, CPUSome: &Extent{0.5, 0.75}},
		Links:    &Links{Ticketed: 4, Past: 1, Waited: 1.5, Longest: 1, Queued: 1.25}, Held: 41, Dir: "/src/.git/gpuci/runs/20260301T100000Z-0a1b2c3d",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	kills, err := s.Kills(t.Context(), Query{})
	if err != nil || len(kills) != 2 || kills[1].PID != 4123 || *kills[1].Read != 4096 || kills[1].Why != "its topmost parent is gone" {
		t.Errorf("%+v, %v", kills, err)
	}
	if p, err := s.Course(t.Context(), Query{Gate: "smoke", Partial: true}, "", 0); err != nil || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// A verdict that kept its series apart gives each by itself, and which of them
// later numbers are held against.
func TestFromVerdict(t *testing.T) {
	r, err := FromVerdict([]byte(`{"type":"verdict","run":"r","gate":"g","outcome":"green",
		"metrics":[{"metric":"bwd","unit":"ms","count":3,"low":{"value":1},"high":{"value":9},
			"series":[{"labels":"k=a","count":2,"low":1,"high":2,"last":2},{"labels":"k=b","count":1,"low":9,"high":9,"last":9}]}],
		"bars":[{"metric":"bwd","within":[{"labels":"k=b","standing":"first"},{"labels":"k=a","standing":"held"}]}]}`))
	two, nine := 2.0, 9.0
	want := []Metric{{Metric: "bwd", Unit: "ms", Labels: "k=a", Count: 2, Low: 1, High: 2, Last: &two}, {Metric: "bwd", Unit: "ms", Labels: "k=b", Count: 1, Low: 9, High: 9, Last: &nine, First: true}}
	if diff := cmp.Diff(want, r.Metrics); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := FromVerdict([]byte(`{"type":"kill","run":"r","gate":"g","outcome":"green"}`)); err == nil {
		t.Error("it is no verdict")
	}
}

// Of more runs than the bound, the newest are taken.
func TestManyRuns(t *testing.T) {
	st := newStage(t)
	st.world.runs = 10
	text := string(must(os.ReadFile("testdata/form-0/runs/20260302T110000Z-4e5f6a7b/verdict.json")))
	for i := range 15 {
		id := fmt.Sprintf("20260302T110000Z-%08d", i)
		st.write("runs/"+id+"/verdict.json", []byte(strings.ReplaceAll(text, "20260302T110000Z-4e5f6a7b", id)))
	}
	s := st.open()
	n, err := s.Count(t.Context(), Query{Partial: true})
	if err != nil || n["refused"] != 10 {
		t.Errorf("%v, %v", n, err)
	}
	if _, err := s.Find(t.Context(), "20260302T110000Z-00000004"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	st.mustNote("of 15 runs, the newest 10")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// restored is a stage with a database of an earlier form, from its SQL text.
func restored(t *testing.T, form string) *stage {
	st := newStage(t)
	text, err := os.ReadFile("testdata/" + form + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(st.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	db := connect(st.path("history.db"), time.Second, false)
	if _, err := db.Exec(string(text)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return st
}

// A database of form 1 is read by every later gpuci, and written.
func TestForm1(t *testing.T) {
	st := restored(t, "form-1")
	checkForm1(t, st)
}

func checkForm1(t *testing.T, st *stage) {
	s := st.open()
	if ids := st.runs(s, Query{Partial: true}); strings.Join(ids, " ") != "r2 r1" {
		t.Errorf("%q", ids)
	}
	list, err := s.Course(t.Context(), Query{Gate: "adjoint"}, "", 0)
	if err != nil || len(list) != 1 || len(list[0].Points) != 2 || list[0].Points[0].High != 6.3e-7 || !list[0].Points[0].Clean || list[0].Points[1].Clean {
		t.Errorf("%+v, %v", list, err)
	}
	kills, err := s.Kills(t.Context(), Query{})
	if err != nil || len(kills) != 1 || kills[0].Boot != "b1" {
		t.Errorf("%+v, %v", kills, err)
	}
	st.record(s, result("r3"))
	if err := s.Amend(t.Context(), "r3", func(r *Result) { r.Outcome = "red" }); err != nil {
		t.Error(err)
	}
	if len(st.notes) > 0 {
		t.Errorf("%q", st.notes)
	}
	st.close(s)
	st.sound()
}

// later is what a later gpuci knows: one form more.
func later(step migration) []migration {
	return append(migrations(), step)
}

// An earlier form is brought to this one, whole or not at all.
func TestMigrate(t *testing.T) {
	st := restored(t, "form-1")
	st.world.steps = later(func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "alter table results add column tree text; drop table kills"); err != nil {
			return err
		}
		return errors.New("it cannot be")
	})
	s := st.open()
	st.record(s, result("waits"))
	if _, err := s.Latest(t.Context()); err == nil || !strings.Contains(err.Error(), "from form 3 to 4: it cannot be") {
		t.Error(err)
	}
	st.close(s)
	st.mustNote("it cannot be", "journal/")
	if err := os.RemoveAll(st.path("journal")); err != nil {
		t.Fatal(err)
	}
	st.notes, st.world.steps = nil, migrations()
	checkForm1(t, st)

	st.world.steps = later(script("alter table results add column tree text not null default ''"))
	s = st.open()
	if ids := st.runs(s, Query{Partial: true}); len(ids) != 3 || len(st.notes) > 0 {
		t.Errorf("%q, %q", ids, st.notes)
	}
	st.close(s)
	st.world.steps = migrations() // and the former gpuci leaves it alone
	s = st.open()
	if _, err := s.Latest(t.Context()); !errors.Is(err, ErrNewer) {
		t.Error(err)
	}
}

// migrateJob is killed in the middle of a migration.
func migrateJob(args []string) error {
	w := world{later(func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "drop table kills; delete from metrics; pragma user_version = 4"); err != nil {
			return err
		}
		fmt.Println("in it")
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		return errors.New("it was not killed")
	}), network, maxRuns}
	_, err := open(context.Background(), Options{State: args[0]}, w)
	return err
}

// A migration that is killed leaves the earlier form as it was.
func TestMigrateKilled(t *testing.T) {
	st := restored(t, "form-1")
	c := start(t, command(t, "migrate", st.dir))
	c.line(t)
	_ = c.Process.Kill()
	_, _ = c.rest()
	checkForm1(t, st)
}
