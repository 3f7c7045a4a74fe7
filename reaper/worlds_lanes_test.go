package reaper_test

import (
	"math/rand/v2"

	"gpuci/reaper"
)

// lanes are those of the world: with sibling names, one in another, removed
// ones, and target directories inside, outside, shared, nested or nowhere.
func (m *maker) lanes() {
	w := m.w
	all := []reaper.Lane{
		{Name: "kda", Root: "/wt/kda", Target: pick(m, "/wt/kda/target", "/scratch/kda", "/scratch/kda", "")},
		{Name: "kda2", Root: "/wt/kda2", Target: pick(m, "/wt/kda2/target", "/scratch/kda2", "/scratch/kda", "/scratch/kda/sub", "")},
		{Name: "inner", Root: "/wt/kda/wt/inner", Target: pick(m, "/wt/kda/wt/inner/target", "/wt/kda/target/sub", "/scratch/kda/sub")},
		{Name: "main", Root: "/src/main", Target: pick(m, "/src/main/target", "/scratch/kda", "/scratch", "/scratch", "")},
		{Name: "gone", Root: pick(m, "/wt/gone", "/wt/kda/old"), Target: pick(m, "/wt/gone/target", "/scratch/gone", "/scratch/kda"), Removed: true},
		{Name: pick(m, "before", "before", "kda"), Root: pick(m, "/wt/kda", "/wt/kda", "/wt/before", "/src/main/x"), Target: pick(m, "/wt/before/target", "/src/main/target"), Removed: true},
	}
	w.Wanted = map[string]bool{}
	for _, l := range all {
		if l.Name == "kda" && !m.one(30) || !m.one(4) {
			w.Lanes = append(w.Lanes, l)
		}
		if l.Name == "kda" && !m.one(15) || !m.one(3) {
			w.Wanted[l.Name] = true
		}
	}
	m.Shuffle(len(w.Lanes), func(i, j int) { w.Lanes[i], w.Lanes[j] = w.Lanes[j], w.Lanes[i] })
}

// lane is one of them, mostly a wanted one that is there.
func (m *maker) lane() reaper.Lane {
	var good []reaper.Lane
	for _, l := range m.w.Lanes {
		if m.w.Wanted[l.Name] && !l.Removed {
			good = append(good, l)
		}
	}
	if len(good) == 0 || m.one(6) {
		good = m.w.Lanes
	}
	if len(good) == 0 {
		return reaper.Lane{Name: "kda", Root: "/wt/kda", Target: "/wt/kda/target"}
	}
	return pick(m, good...)
}

// place is a directory in a lane, mostly.
func (m *maker) place() string {
	if m.one(8) {
		return m.near()
	}
	return m.lane().Root + pick(m, "", "/src", "/crates/adjoint", "/target/debug/build/x", "/x (deleted)")
}

// near is a directory that is nobody's, or looks like somebody else's.
func (m *maker) near() string {
	return pick(m, "/", "/home/u", "/root/.cargo/registry/src/cc-1.2", "/wt", "/wt/kda22", "/wt/kda (deleted)",
		"/wt/kda2/x", "/wt/kd", "/mnt/bind/kda", "/wt/kda/wt/inner/src", "/wt/gone/x", "/wt/kda/old/x", "/wt/before", "/src/main/x/y")
}

// product is a file in a lane's target directory, mostly.
func (m *maker) product() string {
	target := m.lane().Target
	if target == "" || m.one(6) {
		target = pick(m, "/wt/kda/target", "/scratch/kda", "/scratch/kda/sub", "/scratch", "/scratch/kda22", "/wt/gone/target",
			"/wt/kda/targets", "/scratch/gone", "/wt/kda/target/sub", "/home/u", "/src/main/target")
	}
	return target + pick(m, "/debug/deps/libx.rlib", "/debug/build/x/out/a.o", "/x", "")
}

// testBinary is the path of one in a lane's target directory, or of something
// that looks like one.
func (m *maker) testBinary() string {
	target := m.lane().Target
	if len(m.w.Lanes) > 0 && m.one(4) {
		target = pick(m, m.w.Lanes...).Target
	}
	if target == "" {
		target = pick(m, "/wt/kda/target", "/scratch/kda")
	}
	name := pick(m, "adjoint", "adjoint", "fused_f64", "my-tool", "x")
	if m.one(3) {
		return target + pick(m, "/deps/adjoint-0123456789abcdef", "/a/b/c/deps/adjoint-0123456789abcdef", "/debug/adjoint-0123456789abcdef",
			"/debug/deps/-0123456789abcdef", "/debug/deps/adjoint-0123456789ABCDEF", "/debug/deps/adjoint-0123456789abcde",
			"/debug/deps/adjoint-00123456789abcdef0", "/debug/deps/adjoint", "/debug/deps/sub/adjoint-0123456789abcdef",
			"/debug/deps/adjoint_0123456789abcdef", "/debug/deps/adjoint-0123456789abcdef.d", "/release/train")
	}
	return target + pick(m, "/debug", "/release", "/x86_64-unknown-linux-gnu/debug") + "/deps/" + name + "-" + hex(m.Rand)
}

func hex(r *rand.Rand) string {
	text := make([]byte, 16)
	for i := range text {
		text[i] = "0123456789abcdef"[r.IntN(16)]
	}
	return string(text)
}
