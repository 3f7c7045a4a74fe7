// Package inspect finds the device code in a file, whatever the file is: a cubin,
// PTX, a fat binary, or a host's object, static or shared library or executable
// that carries one, where CUDA puts it or among its other data, as include_bytes! and
// include_str! do. It tells by content and never by name.
//
// It reads the containers by itself and starts no process, so that nothing has to
// be installed. Where PTX and a cubin of one file hold the same kernel, the cubin's
// parameters get the types that PTX declares.
//
// It promises that no file makes it panic, hang, or unpack more than its options
// allow, and that device code it cannot read is told as a module with a reason in
// its Unread, never left out. It does not look for device code that a program makes,
// unpacks or loads when it runs, nor into hosts that are no ELF files of 64 bits.
package inspect
