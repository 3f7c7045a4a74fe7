// Package links watches the links of one build: which of them wait for
// somebody else's, how many there were and how many had a ticket, and which
// linkers came past the shims.
//
// It counts what it sees. A linker that came past the shims and was over
// between two looks is in no number.
package links
