// Package verify judges the CUDA kernels of this repository against their float64
// references, on whatever backend runs them: the fused path of kernels/kda, the batched
// Newton-Schulz iteration and the fused RMSNorm.
//
// A [Check] builds the programs that it needs through [Backends], runs its cases on
// them, and gives a [Report]: rows with what was compared and where it is worst, numbers
// for a gate's bars, what a run covers, findings with kernel, line and threads, and
// counters that prove which path ran. [Report.Judge] holds it against bars of the
// check's own, for differences ten times the noise of float32 that package kda lists; a
// gate has its own, and reads the same numbers. What a device computes less exactly than
// the host, such as __expf, is a finding: [NotJudged].
//
// What it promises: a case counts only when it was compared; a NaN stays one up to the
// last line; each reference is computed anew, on the inputs as rounded to float32, so
// that what is measured is the kernel's own rounding; launches are those that the
// backend counted. On a card times and memory are
// measured, too, and what was timed is held against its results. What it does not: say
// that a time is good. It reads no flags, prints nothing
// and does not exit.
package verify
