package device

import (
	"errors"
	"strings"
	"testing"
)

// TestChoose walks what CUDA_VISIBLE_DEVICES and needs come to.
func TestChoose(t *testing.T) {
	card := func(uuid, name, bus string, cc int, gib int64) Seen {
		return Seen{Card: Card{UUID: uuid, Name: name, Bus: bus, Major: cc / 10, MinorCC: cc % 10, Memory: Told(gib << 30)}}
	}
	same := Look{Cards: []Seen{card("GPU-aa11", "H200", "b", 90, 140), card("GPU-aa22", "H200", "a", 90, 140)}}
	mixed := Look{Cards: []Seen{card("GPU-aa11", "H200", "a", 90, 140), card("GPU-bb22", "L4", "b", 89, 22)}}
	mig := Look{Cards: []Seen{{Card: Card{UUID: "MIG-1", Parent: "GPU-aa", Name: "H200"}}}}
	env := func(kv ...string) Choice { return ChoiceFrom(kv) }
	for i, c := range []struct {
		look   Look
		need   Need
		choice Choice
		want   string // UUIDs, or a part of the error
	}{
		{same, Need{}, env(), "GPU-aa22 GPU-aa11"}, // by address, not as listed
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=1"), "GPU-aa11"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=1,0"), "GPU-aa11 GPU-aa22"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=GPU-aa1"), "GPU-aa11"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=gpu-AA1"), "GPU-aa11"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=gpu-AA11"), "GPU-aa11"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=GPU-aa"), `"GPU-aa" is the beginning of 2 UUIDs`},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=GPU-x"), `no card here is "GPU-x"`},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=0,7"), "there is no card 7"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=0,GPU-aa22"), "names a card twice"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES="), "CUDA_VISIBLE_DEVICES names none"},
		{same, Need{}, env("CUDA_VISIBLE_DEVICES=-1"), "names none"},
		{same, Need{Count: 3}, env(), "3 needed, 2 of 2 will do"},
		{same, Need{Count: 2}, env("CUDA_VISIBLE_DEVICES=0"), "2 needed, 1 of 2 will do; CUDA_VISIBLE_DEVICES names 0"},
		{mixed, Need{}, env("CUDA_VISIBLE_DEVICES=0"), "set CUDA_DEVICE_ORDER=PCI_BUS_ID"},
		{mixed, Need{}, env("CUDA_VISIBLE_DEVICES=0", "CUDA_DEVICE_ORDER=PCI_BUS_ID"), "GPU-aa11"},
		{mixed, Need{}, ParseChoice("1", PCIOrder, "--gpu"), "GPU-bb22"},
		{mixed, Need{SM: 90}, env(), "GPU-aa11"},
		{mixed, Need{Count: 2}, env("CUDA_VISIBLE_DEVICES=GPU-bb"), "2 needed, 1 of 2 will do; CUDA_VISIBLE_DEVICES names GPU-bb"},
		{mixed, Need{SM: 100}, env(), "H200 0 (GPU-aa11): needs sm_100, has sm_90"},
		{mixed, Need{VRAM: 40 << 30}, env(), "GPU-aa11"},
		{mixed, Need{VRAM: 1 << 40}, env(), "needs 1024.0 GiB, has 140.0 GiB"},
		{mig, Need{}, env("CUDA_VISIBLE_DEVICES=0"), "MIG instances: give a UUID"},
		{mig, Need{}, env("CUDA_VISIBLE_DEVICES=MIG-1"), "MIG-1"},
		{mig, Need{SM: 90}, env(), "does not tell what it has"},
		{mig, Need{VRAM: 1}, env(), "how much memory it has is not told"},
		{Look{Silent: "hangs"}, Need{}, env(), "the driver gives no answer: hangs"},
	} {
		got, err := Choose(c.look, c.need, c.choice)
		var text []string
		for _, s := range got {
			text = append(text, s.UUID)
		}
		if err != nil {
			text = []string{err.Error()}
			if chose := c.choice.Set && c.need == (Need{}) || c.need.Count == 2; errors.Is(err, ErrChoice) != chose || errors.Is(err, ErrNoCard) == errors.Is(err, ErrSilent) {
				t.Errorf("%d: of the choice %t: %v", i, !chose, err)
			}
		}
		if joined := strings.Join(text, " "); joined != c.want && (err == nil || !strings.Contains(joined, c.want)) {
			t.Errorf("%d: %v is %q, not %q", i, c.choice, joined, c.want)
		}
	}
}
