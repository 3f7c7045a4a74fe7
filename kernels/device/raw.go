package device

import "time"

// Raw is what a driver said at one moment, and nothing that we think of it. It is
// what `gpuci gpu status --raw` prints, and what the golden files hold.
type Raw struct {
	At     time.Time `json:"at"`
	Source string    `json:"source"` // "nvml" or "nvidia-smi"
	Driver string    `json:"driver,omitempty"`
	CUDA   string    `json:"cuda,omitempty"` // "13.0"
	NVML   string    `json:"nvml,omitempty"` // version of the library
	Cards  []RawCard `json:"cards"`
	Failed string    `json:"failed,omitempty"` // why the whole gave no answer
}

// RawCard is one GPU. Errors are the driver's words by the name of what was asked.
type RawCard struct {
	Index     int               `json:"index"`
	UUID      string            `json:"uuid"`
	Name      string            `json:"name,omitempty"`
	Bus       string            `json:"bus,omitempty"`
	Minor     Reading           `json:"minor,omitzero"`
	Major     Reading           `json:"major,omitzero"` // compute capability
	MinorCC   Reading           `json:"minor-cc,omitzero"`
	MIG       bool              `json:"mig,omitempty"`       // cut into Instances
	Instances []RawInstance     `json:"instances,omitempty"` // of a GPU with MIG on
	Memory    RawMemory         `json:"memory"`
	Processes []RawProcess      `json:"processes,omitempty"`
	Samples   []RawUse          `json:"samples,omitempty"` // only where they were asked for
	Now       RawSample         `json:"now"`
	Errors    map[string]string `json:"errors,omitempty"`
}

// RawInstance is one MIG device.
type RawInstance struct {
	UUID   string    `json:"uuid"`
	Name   string    `json:"name,omitempty"`
	GI     int       `json:"gi"`
	CI     int       `json:"ci"`
	Memory RawMemory `json:"memory"`
}

// RawMemory is in bytes. Used does not count Reserved where that is known.
type RawMemory struct {
	Total    Reading `json:"total,omitzero"`
	Reserved Reading `json:"reserved,omitzero"`
	Used     Reading `json:"used,omitzero"`
	Free     Reading `json:"free,omitzero"`
}

// RawProcess is one line of one of the driver's lists.
type RawProcess struct {
	PID    int     `json:"pid"`
	Kind   Kind    `json:"kind"`            // of one list
	Memory Reading `json:"memory,omitzero"` // bytes
	Name   string  `json:"name,omitempty"`  // nvidia-smi alone tells one
	GI     Reading `json:"gi,omitzero"`     // of a MIG device
	CI     Reading `json:"ci,omitzero"`
}

// RawUse says that a process used the card in the driver's last samples.
type RawUse struct {
	PID int     `json:"pid"`
	At  int64   `json:"at"` // microseconds since 1970
	SM  Reading `json:"sm"` // percent
	Mem Reading `json:"mem"`
}

// RawSample is what the card did.
type RawSample struct {
	Util        Reading  `json:"util,omitzero"`
	MemoryUtil  Reading  `json:"mem-util,omitzero"`
	SM          Reading  `json:"sm,omitzero"`
	SMMax       Reading  `json:"sm-max,omitzero"`
	Mem         Reading  `json:"mem,omitzero"`
	MemMax      Reading  `json:"mem-max,omitzero"`
	Temperature Reading  `json:"temperature,omitzero"`
	Power       Reading  `json:"power,omitzero"`     // mW
	Throttle    []string `json:"throttle,omitempty"` // in words, idle among them
}
