// Package devicetest is a stand-in for an NVIDIA driver, for tests: a
// libnvidia-ml.so.1 compiled from C, an nvidia-smi, and device files, which answer
// from a text file that a test rewrites while they run. So the real child, the
// real loader and go-nvml run where there is no card.
//
// The state is lines of which later ones win; a shell may append with >> to the file
// that NVML_STANDIN names.
//
//	driver 580.159.04
//	cuda 13000
//	card N uuid|name|bus|total|reserved|used|cc|util|sm|temp|power|throttle VALUE
//	process N compute|graphics|mps PID BYTES [GI CI]
//	ghost N compute|graphics|mps PID BYTES [GI CI]
//	begins N compute|graphics|mps PID BYTES
//	use N PID PERCENT
//	mig N 1
//	instance N K uuid|memory|gi VALUE
//	hang CALL
//	crash CALL
//	error CALL CODE
//	clear
//
// Card N is there when a line names it: an H200 with 141 GiB, quiet. A process is
// listed while its pid lives, and its bytes (-1: not told) are in use; a ghost is
// listed always, and its bytes are not. One that begins is listed, with its bytes in use,
// from the middle of a look on: whoever asks for the memory first waits for it, as an H200
// has it. use is one of the driver's samples of who
// used the card, made when it is asked for. crash touches what no process has. A CALL is a function of the library
// without its nvml (hang Init_v2, error DeviceGetCount_v2 999), or smi for
// nvidia-smi, which then hangs and ignores SIGTERM. clear forgets what is above it.
//
// A process counts as on the card only with the device file open, below
// GPUCI_NVIDIA_ROOT: exec 9<$GPUCI_NVIDIA_ROOT/dev/nvidia0.
//
// It is no model of a card: what it says is what a test wrote. A test that needs
// it and finds no C compiler fails.
package devicetest
