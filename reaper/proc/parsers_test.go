package proc

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const mountinfo = `24 18 0:22 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755
25 24 0:23 /docker/a\040b /sys/fs/cgroup/uni\134fied rw shared:10 - cgroup2 cgroup2 rw
`

func TestMountedAt(t *testing.T) {
	for path, want := range map[string]string{
		"/docker/a b": `/sys/fs/cgroup/uni\fied`, "/docker/a b/c": `/sys/fs/cgroup/uni\fied/c`, "/docker": "", "/": "", "/docker/a bc": "",
	} {
		if got, ok := mountedAt([]byte(mountinfo), path); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t; want %q", path, got, ok, want)
		}
	}
}

func TestCgroupPath(t *testing.T) {
	for text, want := range map[string]string{
		"0::/\n": "/", "12:cpu:/x\n0::/a/b c\n": "/a/b c", "0::/a (deleted)\n": "/a", "1:name=systemd:/x\n": "", "": "", "0::a\n": "",
	} {
		if got, ok := cgroupPath([]byte(text)); ok != (want != "") || ok && got != want {
			t.Errorf("%q: got %q, %t", text, got, ok)
		}
	}
}

func TestLeafFiles(t *testing.T) {
	for text, want := range map[string]bool{"populated 1\nfrozen 0\n": true, "populated 0\nfrozen 1\n": false} {
		if got, err := parsePopulated(text); got != want || err != nil {
			t.Errorf("%q: got %t, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "populated\n", "populated 2\n", "frozen 1\n"} {
		if got, err := parsePopulated(text); err == nil {
			t.Errorf("%q: got %t; an empty leaf is not what that says", text, got)
		}
	}
	if got, err := parseCPUStat("usage_usec 1500\nuser_usec 1\n"); got != 1500*time.Microsecond || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	for _, text := range []string{"", "usage_usec x\n", "usage_usec -1\n", "usage_usec 9223372036854775807\n", "user_usec 1\n"} {
		if got, err := parseCPUStat(text); err == nil {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

func TestParseUptime(t *testing.T) {
	if got, ok := parseUptime("12.34 56.78\n"); got != 12340*time.Millisecond || !ok {
		t.Errorf("got %s, %t", got, ok)
	}
	for _, text := range []string{"", "x", "NaN 1", "-1 1", "1e30 1", "+Inf"} {
		if got, ok := parseUptime(text); ok {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

func FuzzCgroupPath(f *testing.F) {
	f.Add([]byte("12:cpu:/x\n0::/a/b c\n"))
	f.Add([]byte("0::/a (deleted)"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if path, ok := cgroupPath(text); ok && (!strings.HasPrefix(path, "/") || strings.Contains(path, "\n")) {
			t.Errorf("%q gave %q", text, path)
		}
	})
}

func FuzzMountedAt(f *testing.F) {
	f.Add([]byte(mountinfo), "/docker/a b/c")
	f.Add([]byte("1 2 3 / / rw - cgroup2 none rw"), "/..")
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		dir, ok := mountedAt(text, path)
		if ok && !strings.Contains(string(text), " - cgroup2 ") {
			t.Errorf("%q, %q gave %q without a cgroup2 mount", text, path, dir)
		}
	})
}

func FuzzUnescapeMount(f *testing.F) {
	f.Add(`a\040b\134c`)
	f.Fuzz(func(t *testing.T, plain string) {
		escaped := strings.NewReplacer(`\`, `\134`, " ", `\040`, "\t", `\011`, "\n", `\012`).Replace(plain)
		if got := unescapeMount(escaped); got != plain {
			t.Errorf("%q came back as %q", plain, got)
		}
	})
}

func FuzzLeafFiles(f *testing.F) {
	f.Add("populated 1\nusage_usec 12\n")
	f.Add("usage_usec -9223372036854775808")
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseCPUStat(text); err == nil && d < 0 {
			t.Errorf("%q: %s", text, d)
		}
		if on, err := parsePopulated(text); on && (err != nil || !strings.Contains(text, "populated 1")) {
			t.Errorf("%q: populated, %v", text, err)
		}
	})
}

func FuzzFieldPIDs(f *testing.F) {
	f.Add([]byte("12 13 \n0\n007\n-1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, pid := range fieldPIDs(data) {
			if pid <= 0 {
				t.Errorf("%q: %d", data, pid)
			}
		}
	})
}

func FuzzParseUptime(f *testing.F) {
	f.Add("12.34 56.78\n")
	f.Add("NaN")
	f.Fuzz(func(t *testing.T, text string) {
		if d, ok := parseUptime(text); ok && d < 0 {
			t.Errorf("%q: %s", text, d)
		}
	})
}

func FuzzListBounds(f *testing.F) {
	f.Add([]byte(line(1, "x")), true)
	f.Add([]byte("1 (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 2 3 4 5 6 7 0"), false)
	f.Fuzz(func(t *testing.T, stat []byte, args bool) {
		file := map[bool]string{true: "cmdline", false: "environ"}[args]
		start, end := listBounds(stat, file)
		if whole(make([]byte, 3), start, end, false) && end-start != 3 {
			t.Errorf("%q: 3 bytes are whole from %d to %d", stat, start, end)
		}
	})
}

func FuzzMarks(f *testing.F) {
	f.Add("run-1.abc:run-2.def", "run-1")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, text, name string) {
		marks := marksIn([]string{markVariable + "=" + text})
		if (Leftover{Name: name}).carries(marks) && !strings.Contains(text, name+".") && name != "" {
			t.Errorf("%q carries %q", text, name)
		}
		if within(filepath.Clean("/"+text), "/"+name) && !strings.HasPrefix(filepath.Clean("/"+text), "/"+name) {
			t.Errorf("%q is within %q", text, name)
		}
	})
}
