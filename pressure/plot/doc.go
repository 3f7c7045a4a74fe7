// Package plot draws the pressure of a run as one SVG that stands alone: no
// script, no font or style from elsewhere, so that a browser and a README show
// it alike. Above are the curves over the time of the run, below them bars for
// what the run did: its phases, its links, and what they waited for.
//
// It promises: what is not known is hatched and said to be unknown, and never
// drawn as 0; a long run loses detail but no peak; whatever is left out of the
// picture is counted in it; the same chart gives the same bytes; and any chart,
// however broken, gives well-formed XML with finite numbers.
//
// It follows prefers-color-scheme, and needs nobody to tell colours apart:
// curves differ in their line, bars in the row they stand in and what fills
// them.
//
// It does not read files and does not know where a run comes from.
package plot
