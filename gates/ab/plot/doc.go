// Package plot draws the two arms of a comparison: their values over the time of the
// session, how they are spread, and what the judge makes of them beside the floor. It
// draws for a terminal, in text, and as one SVG that stands alone: no script, no font
// or style from elsewhere.
//
// It promises: nobody has to tell colours apart, since the arms differ in their marks
// too; values beyond the picture are drawn at its edge, and counted; runs that were
// thrown out are seen, at the time at which they were; the same chart gives the same
// bytes; and any chart, however broken, gives well-formed XML with finite numbers and
// lines of the terminal's width.
//
// It judges nothing: the numbers are those of an Answer.
package plot
