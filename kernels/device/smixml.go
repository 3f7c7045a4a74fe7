package device

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// smiLog is what is used of `nvidia-smi -q -x`. Which elements there are differs by
// driver; one that is missing is a Reading that is not known.
type smiLog struct {
	XMLName xml.Name
	Driver  string    `xml:"driver_version"`
	CUDA    string    `xml:"cuda_version"`
	GPUs    []smiCard `xml:"gpu"`
}

type smiCard struct {
	Name        string        `xml:"product_name"`
	UUID        string        `xml:"uuid"`
	Minor       string        `xml:"minor_number"`
	Bus         string        `xml:"pci>pci_bus_id"`
	MIG         string        `xml:"mig_mode>current_mig"`
	Instances   []smiMIG      `xml:"mig_devices>mig_device"`
	Memory      smiMemory     `xml:"fb_memory_usage"`
	Util        string        `xml:"utilization>gpu_util"`
	MemoryUtil  string        `xml:"utilization>memory_util"`
	SM          string        `xml:"clocks>sm_clock"`
	Mem         string        `xml:"clocks>mem_clock"`
	SMMax       string        `xml:"max_clocks>sm_clock"`
	MemMax      string        `xml:"max_clocks>mem_clock"`
	Temperature string        `xml:"temperature>gpu_temp"`
	Power       string        `xml:"gpu_power_readings>power_draw"`
	Instant     string        `xml:"gpu_power_readings>instant_power_draw"`
	OldPower    string        `xml:"power_readings>power_draw"`
	Events      smiReasons    `xml:"clocks_event_reasons"`
	OldEvents   smiReasons    `xml:"clocks_throttle_reasons"`
	Processes   *smiProcesses `xml:"processes"`
}

type smiMemory struct {
	Total    string `xml:"total"`
	Reserved string `xml:"reserved"`
	Used     string `xml:"used"`
	Free     string `xml:"free"`
}

type smiMIG struct {
	UUID   string    `xml:"uuid"`
	GI     string    `xml:"gpu_instance_id"`
	CI     string    `xml:"compute_instance_id"`
	Memory smiMemory `xml:"fb_memory_usage"`
}

type smiReasons struct {
	All []struct {
		XMLName xml.Name
		Text    string `xml:",chardata"`
	} `xml:",any"`
}

type smiProcesses struct {
	Text string `xml:",chardata"`
	All  []struct {
		GI     string `xml:"gpu_instance_id"`
		CI     string `xml:"compute_instance_id"`
		PID    string `xml:"pid"`
		Type   string `xml:"type"`
		Name   string `xml:"process_name"`
		Memory string `xml:"used_memory"`
	} `xml:"process_info"`
}

// parseSMI reads what nvidia-smi -q -x prints. Names of processes stand there as
// they are, with commas and with bytes that no XML may hold.
func parseSMI(data []byte) (Raw, error) {
	d := xml.NewDecoder(bytes.NewReader(clean(data)))
	d.Strict = false
	d.CharsetReader = nil
	var log smiLog
	if err := d.Decode(&log); err != nil {
		return Raw{}, fmt.Errorf("read what nvidia-smi says: %w", err)
	}
	if log.XMLName.Local != "nvidia_smi_log" {
		return Raw{}, fmt.Errorf("read what nvidia-smi says: it is <%s>, and not <nvidia_smi_log>", log.XMLName.Local)
	}
	if len(log.GPUs) == 0 {
		return Raw{}, errors.New("nvidia-smi names no card")
	}
	raw := Raw{Source: sourceSMI, Driver: told0(log.Driver), CUDA: told0(log.CUDA)}
	for i, g := range log.GPUs {
		raw.Cards = append(raw.Cards, g.raw(i))
	}
	return raw, nil
}

// clean makes text of the bytes that XML may hold.
func clean(data []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			return '?'
		}
		return r
	}, bytes.ToValidUTF8(data, []byte("?")))
}

func (g smiCard) raw(index int) RawCard {
	c := RawCard{
		Index: index, UUID: told0(g.UUID), Name: told0(g.Name), Bus: told0(g.Bus), Minor: count(g.Minor),
		MIG: told0(g.MIG) == "Enabled", Memory: g.Memory.raw(), Errors: map[string]string{},
	}
	for _, m := range g.Instances {
		c.Instances = append(c.Instances, RawInstance{
			UUID: told0(m.UUID), GI: int(count(m.GI).Or(-1)), CI: int(count(m.CI).Or(-1)), Memory: m.Memory.raw(),
		})
	}
	c.Now = RawSample{
		Util: count(g.Util), MemoryUtil: count(g.MemoryUtil), SM: count(g.SM), Mem: count(g.Mem),
		SMMax: count(g.SMMax), MemMax: count(g.MemMax), Temperature: count(g.Temperature), Power: watts(g.Power, g.Instant, g.OldPower),
		Throttle: append(g.Events.words(), g.OldEvents.words()...),
	}
	g.processes(&c)
	if len(c.Errors) == 0 {
		c.Errors = nil
	}
	return c
}

// processes reads the list. Where it is not there, or is a word like N/A, nobody
// knows who is on the card.
func (g smiCard) processes(c *RawCard) {
	if g.Processes == nil {
		c.Errors["compute"] = "nvidia-smi lists no processes"
		return
	}
	if word := strings.TrimSpace(g.Processes.Text); len(g.Processes.All) == 0 && word != "" {
		c.Errors["compute"] = strings.ToLower(word)
		return
	}
	for _, p := range g.Processes.All {
		pid := count(p.PID)
		c.Processes = append(c.Processes, RawProcess{
			PID: int(pid.Or(-1)), Kind: kindOf(p.Type), Memory: bytesOf(p.Memory), Name: strings.TrimSpace(p.Name), GI: count(p.GI), CI: count(p.CI),
		})
	}
}

// kindOf is C, G, C+G, or M+C for a client of MPS.
func kindOf(letters string) Kind {
	switch l := strings.TrimSpace(letters); l {
	case "G":
		return "graphics"
	case "C+G":
		return "compute+graphics"
	case "M+C", "M":
		return "mps"
	}
	return "compute"
}

func (m smiMemory) raw() RawMemory {
	return RawMemory{Total: bytesOf(m.Total), Reserved: bytesOf(m.Reserved), Used: bytesOf(m.Used), Free: bytesOf(m.Free)}
}

func (r smiReasons) words() (words []string) {
	for _, e := range r.All {
		name := strings.TrimPrefix(strings.TrimPrefix(e.XMLName.Local, "clocks_event_reason_"), "clocks_throttle_reason_")
		for _, t := range throttles {
			if t.xml == name && strings.TrimSpace(e.Text) == "Active" {
				words = append(words, t.word)
			}
		}
	}
	return words
}

// told0 is a text that is told: N/A, [N/A], [Not Found] and [Insufficient
// Permissions] are none.
func told0(s string) string {
	s = strings.TrimSpace(s)
	if s == "N/A" || strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return ""
	}
	return s
}

// count is a number with or without a unit: "42 %", "1980 MHz", "35 C", "0".
func count(s string) Reading {
	word, _, _ := strings.Cut(told0(s), " ")
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v < 0 {
		return Reading{}
	}
	return Told(v)
}

// bytesOf is "615 MiB" in bytes.
func bytesOf(s string) Reading {
	r := count(s)
	_, unit, _ := strings.Cut(told0(s), " ")
	shift, ok := map[string]uint{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[strings.TrimSpace(unit)]
	if !r.Known || !ok || r.Value > 1<<62>>shift {
		return Reading{}
	}
	return Told(r.Value << shift)
}

// watts is the first of some texts like "76.31 W", in milliwatts.
func watts(texts ...string) Reading {
	for _, s := range texts {
		word, unit, _ := strings.Cut(told0(s), " ")
		if v, err := strconv.ParseFloat(word, 64); err == nil && unit == "W" && v >= 0 && v < 1e6 {
			return Told(int64(v * 1000))
		}
	}
	return Reading{}
}

// parseCapabilities reads lines of "GPU-…, 9.0".
func parseCapabilities(out []byte) map[string][2]int {
	found := map[string][2]int{}
	for line := range strings.Lines(string(out)) {
		uuid, cc, ok := strings.Cut(strings.TrimSpace(line), ",")
		major, minor, dot := strings.Cut(strings.TrimSpace(cc), ".")
		a, err1 := strconv.Atoi(major)
		b, err2 := strconv.Atoi(minor)
		if ok && dot && err1 == nil && err2 == nil && a >= 0 && b >= 0 && b < 10 {
			found[strings.TrimSpace(uuid)] = [2]int{a, b}
		}
	}
	return found
}
