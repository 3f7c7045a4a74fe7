package gates

import (
	"time"

	"gpuci/kernels/device"
)

// CardUse is what a verdict says of the cards that the gate had.
type CardUse struct {
	UUIDs  []string         `json:"uuids"`
	Source string           `json:"source"`           // who answered: "nvml" or "nvidia-smi"
	CUDA   string           `json:"cuda,omitempty"`   // newest that the driver runs
	Shared []string         `json:"shared,omitempty"` // who was on them when it began
	Came   []string         `json:"came,omitempty"`   // who came while it ran
	Waited float64          `json:"waited-seconds,omitempty"`
	Passed bool             `json:"passed,omitempty"` // a process above us has them
	Before time.Time        `json:"before,omitzero"`  // of the look that let it on
	After  time.Time        `json:"after,omitzero"`   // of the last one
	Looks  int              `json:"looks,omitempty"`  // while it ran
	Gap    float64          `json:"gap-seconds,omitempty"`
	Doubts []device.Doubt   `json:"doubts,omitempty"`
	Cards  []device.Summary `json:"cards,omitempty"` // clocks, temperature, memory while it ran

	wait time.Duration // how long to queue for such cards again, by what was known when it ended
}

// cardFile has the samples of a run, a line for each card and second.
const cardFile = "card.jsonl"
