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
// number, a line that would match but for a NaN or an infinity in the place
// of the value, a pattern that cuts a number short or loses its sign, and a
// time, size or count below zero are faults of the measurement, and a gate
// with one of them cannot be green. It does not decide outcomes.
package metric
