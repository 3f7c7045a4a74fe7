// Package metric reads a gate's numbers out of its output and holds them
// against limits.
//
// Numbers come from patterns (a named group `value`, every other named group
// a label) and from lines the gate prints itself:
//
//	gpuci:metric name=worst-rel value=6.3e-7 term=d_g chunks=4
//
// Every match counts, and the worst one decides. The package promises that a
// number it could not read is never passed over: a value that is no finite
// number, a pattern that takes a piece of a longer number or loses its sign, a
// unit that is not the metric's, and a time, size or count below zero are
// faults of the measurement, and a gate with one of them cannot be green. A
// pattern for digits also finds a number with a sign, a NaN and an infinity in
// the place of its number. Digits in groups that a blank parts ("1 234") are
// seen behind a number only, not in front of it. What a pattern skips with .* it
// may pass over: only \D* and its like are looked through for a NaN. It does not
// decide outcomes.
package metric
