// Package link plays a shim: it takes one call of a compiler, a linker, a
// compiler cache or cmake that came to us, waits for a ticket if the call is a
// link, and executes the real tool in its place.
//
// It is the one package here that speaks to the user and gives an exit status,
// because gpuci-link and a gpuci that stands in for it are both nothing more.
package link
