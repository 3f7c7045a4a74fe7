package device

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func xmlOf(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "smi", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSMINames is field case 18: names with commas, ampersands and bytes that are no
// text; [N/A], [Not Found] and [Insufficient Permissions] in place of what is told.
func TestSMINames(t *testing.T) {
	data := strings.Replace(string(xmlOf(t, "h200.xml")), "train", "tr\xff\x01in", 1)
	raw, err := parseSMI([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	c := raw.Cards[0]
	want := []RawProcess{
		{PID: 4711, Kind: "compute", Name: "/opt/a b, c/python, tr??in & run", Memory: Told(8192 << 20)},
		{PID: 4712, Kind: "compute+graphics", Name: "[Not Found]"},
		{PID: 4713, Kind: "mps", Name: "[Insufficient Permissions]", Memory: Told(1024 << 20)},
	}
	if len(c.Processes) != len(want) {
		t.Fatalf("processes: %+v", c.Processes)
	}
	for i, p := range c.Processes {
		if p != want[i] {
			t.Errorf("process %+v, not %+v", p, want[i])
		}
	}
	if c.Memory != (RawMemory{Told(143771 << 20), Told(615 << 20), Told(9216 << 20), Told(133940 << 20)}) {
		t.Errorf("memory: %+v", c.Memory)
	}
	n := c.Now
	if n.Util != Told(97) || n.Power != Told(612480) || n.SM != Told(1755) || n.SMMax != Told(1980) || n.Temperature != Told(54) || strings.Join(n.Throttle, ",") != "power cap" {
		t.Errorf("sample: %+v", n)
	}
	if c.MIG || len(c.Instances) != 0 || raw.Driver != "580.159.04" || c.Minor != Told(0) {
		t.Errorf("card: %+v", c)
	}
}

// TestSMIOfAnH200 reads what nvidia-smi said there.
func TestSMIOfAnH200(t *testing.T) {
	raw, err := parseSMI(xmlOf(t, "h200-pytorch.xml"))
	if err != nil || len(raw.Cards) != 1 {
		t.Fatalf("%d cards: %v", len(raw.Cards), err)
	}
	c := raw.Cards[0]
	if want := (RawProcess{PID: 4937, Kind: "compute", Name: "python3", Memory: Told(1780 << 20)}); len(c.Processes) != 1 || c.Processes[0] != want {
		t.Errorf("processes %+v, not %+v", c.Processes, want)
	}
	if c.Name != "NVIDIA H200" || c.MIG || c.Minor != Told(0) || raw.Driver != "580.159.04" || raw.CUDA != "13.0" {
		t.Errorf("card: %+v, driver %s, CUDA %s", c, raw.Driver, raw.CUDA)
	}
	m := c.Memory // the driver's own rounding: together they are the whole, but for a MiB or two
	if m.Total != Told(143771<<20) || m.Reserved != Told(616<<20) || m.Total.Value-m.Reserved.Value-m.Used.Value-m.Free.Value > 2<<20 {
		t.Errorf("memory: %+v", m)
	}
	if n := c.Now; n.SM != Told(1980) || n.SMMax != Told(1980) || n.Mem != Told(3201) || n.Temperature != Told(40) || !n.Util.Known || !n.Power.Known {
		t.Errorf("sample: %+v", n)
	}
}

// TestSMIOfOldDrivers: what is not told is not known, and never nothing.
func TestSMIOfOldDrivers(t *testing.T) {
	raw, err := parseSMI(xmlOf(t, "old-mig.xml"))
	if err != nil {
		t.Fatal(err)
	}
	l := Judge(raw, nil, Around{Proc: "testdata/empty-proc"})
	if len(l.Cards) != 2 {
		t.Fatalf("cards: %+v", l.Cards)
	}
	mig, old := l.Cards[0], l.Cards[1]
	if mig.Instance != "gi 1 ci 0" || mig.State != Unknown || len(mig.Foreign) != 1 || mig.Sample.Power != Told(43100) || len(mig.Sample.Throttle) != 0 {
		t.Errorf("the instance: %+v", mig)
	}
	if old.State != Unknown || old.Why != "the driver does not list its compute processes: n/a" || old.Sample.Util.Known || old.Used.Known {
		t.Errorf("a card whose list is N/A: %+v", old)
	}
	for name, text := range map[string]string{"empty": "", "a word": "NVIDIA-SMI has failed", "another root": "<a/>", "no card": "<nvidia_smi_log></nvidia_smi_log>", "half": string(xmlOf(t, "h200.xml")[:2000])} {
		if raw, err := parseSMI([]byte(text)); err == nil {
			t.Errorf("%s is read as %+v", name, raw)
		}
	}
}

func TestCapabilities(t *testing.T) {
	got := parseCapabilities([]byte("GPU-a, 9.0\nGPU-b, [N/A]\nFailed, to. do\n\nGPU-c, 12.1\n"))
	if len(got) != 2 || got["GPU-a"] != [2]int{9, 0} || got["GPU-c"] != [2]int{12, 1} {
		t.Errorf("%v", got)
	}
}

// FuzzSMI: no text makes it fail otherwise than by an error, nor makes a card that
// nobody can name quiet.
func FuzzSMI(f *testing.F) {
	f.Add(xmlOf(f, "h200.xml"))
	f.Add(xmlOf(f, "old-mig.xml"))
	f.Add(xmlOf(f, "h200-pytorch.xml"))
	f.Add([]byte("<nvidia_smi_log><gpu><processes/></gpu></nvidia_smi_log>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		raw, err := parseSMI(data)
		if err != nil {
			return
		}
		if raw.Source != sourceSMI || len(raw.Cards) == 0 {
			t.Fatalf("no error, and no card: %+v", raw)
		}
		for _, c := range Judge(raw, nil, Around{Proc: "testdata/empty-proc"}).Cards {
			if c.State == Quiet && (c.UUID == "" || !c.Used.Known) {
				t.Errorf("quiet: %+v", c)
			}
		}
	})
}

// FuzzTold: the child is a process of ours with a foreign library in it; what it
// writes is read with care.
func FuzzTold(f *testing.F) {
	f.Add([]byte(`{"id":1,"raw":{"at":"2026-11-30T12:00:00Z","source":"nvml","cards":[{"index":0,"uuid":"GPU-a","memory":{"used":0},"processes":[{"pid":-1,"kind":"compute","memory":9223372036854775807}],"now":{}}]}}`))
	f.Add([]byte(`{"id":2,"absent":"no library","raw":{"at":"0001-01-01T00:00:00Z","source":"","cards":null}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		told, err := parseTold(line)
		if err != nil {
			return
		}
		for _, c := range Judge(told.Raw, nil, Around{Proc: "testdata/empty-proc"}).Cards {
			if c.State == Quiet && len(c.Foreign) > 0 {
				t.Errorf("quiet with others on it: %+v", c)
			}
		}
	})
}
