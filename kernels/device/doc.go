// Package device says what is on a card: its processes, its memory, its clocks,
// and whether it is quiet, busy or unknown.
//
// It promises: a card is Quiet only when the driver answered, every process that
// it lists there was found in /proc and is ours by the caller's word and by the
// device file that it has open, and no more memory is in use than these have
// (plus Allowance). Whatever cannot be told is Unknown, which is never Quiet.
// Looking makes no context on a card and takes none of its memory. A driver that
// hangs hangs a child of ours, which is given up at a deadline.
//
// The driver is asked through NVML, whose library is loaded at run time, in a
// child; and where it cannot be loaded by `nvidia-smi -q -x`. What it said is a
// Raw, and Judge, which only reads /proc beside it, makes a Look of that: a Raw
// that was recorded on some machine can be judged anywhere.
//
// It does not lock cards, knows neither gates nor lanes, and does not see a
// process that neither the driver lists nor /proc shows; of that one the memory
// in use is all there is to see. It writes nothing anywhere.
package device
