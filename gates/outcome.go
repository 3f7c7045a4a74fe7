package gates

import (
	"slices"
)

// Outcome is how a gate ended.
type Outcome string

// The outcomes. Interrupted is none of a gate's own: somebody stopped gpuci.
const (
	Green       Outcome = "green"
	KnownRed    Outcome = "known red"
	Attention   Outcome = "attention"
	Red         Outcome = "red"
	BuildFailed Outcome = "build failed"
	Broken      Outcome = "broken"
	OutOfTime   Outcome = "out of time"
	Refused     Outcome = "refused"
	Interrupted Outcome = "interrupted"
)

// Exit codes that are no outcome of a gate.
const (
	ExitUnexpected = 1
	ExitNothing    = 4  // nothing selected: no such gate or lane
	ExitUsage      = 64 // EX_USAGE of sysexits.h
	ExitConfig     = 78 // EX_CONFIG
	ExitInterrupt  = 130
	ExitTerminated = 143
)

// exitCodes is the one table of outcomes and exit codes. 2 is free: a crash
// of the Go runtime uses it.
var exitCodes = map[Outcome]int{
	Green: 0, KnownRed: 0, Attention: 103, Red: 100, BuildFailed: 101,
	Broken: 102, OutOfTime: 124, Refused: 75, Interrupted: ExitInterrupt,
}

// ExitCode is what gpuci ends with when this is the only gate.
func (o Outcome) ExitCode() int {
	if code, ok := exitCodes[o]; ok {
		return code
	}
	return ExitUnexpected
}

// gravity orders exit codes for several gates: the first one present is what
// gpuci ends with.
var gravity = []int{143, 130, 1, 78, 69, 101, 102, 124, 100, 103, 75}

// WorstExit is the exit code of several gates run in one go.
func WorstExit(codes ...int) int {
	for _, code := range gravity {
		if slices.Contains(codes, code) {
			return code
		}
	}
	for _, code := range codes {
		if code != 0 {
			return code
		}
	}
	return 0
}
