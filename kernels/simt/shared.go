package simt

// sharedUnit has the dynamic shared memory, as large as sm_90 has it for a block
// (dynamicSize in memory.h), between two guards (Shared::guard). In one piece of
// assembly they stay in this order.
const sharedUnit = `asm(R"(
.section .tbss,"awT",@nobits
.balign 128
gpuci_below:
.zero 16384
.globl gpuci_dynamic
.type gpuci_dynamic,@object
gpuci_dynamic:
.zero 232448
.size gpuci_dynamic,232448
gpuci_above:
.zero 16384
.text
)");
`
