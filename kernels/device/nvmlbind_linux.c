//go:build cgo

/* go-nvml leaves its references to the library's functions undefined, and counts on
 * the loader to look each up at its first call. A program that is linked with
 * -z now (the default of some distributions' compilers), or run with LD_BIND_NOW,
 * then does not start at all where there is no driver. So they are defined here:
 * each jumps through a slot, which nvmlbind fills from the library. A function that
 * the library does not have answers NVML_ERROR_FUNCTION_NOT_FOUND. */
#include <dlfcn.h>
#include <stddef.h>
#include "nvmlnames.h"

#if defined(__x86_64__)
#define JUMP(f) "\tjmp *gpuci_slot_" #f "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(f) "\tadrp x16, gpuci_slot_" #f "\n\tldr x16, [x16, :lo12:gpuci_slot_" #f "]\n\tbr x16\n"
#endif

static int absent(void) { return 13; }
static const char *nameless(int code) { (void)code; return "an error without a name"; }

#define SLOT(f) __attribute__((visibility("hidden"), used)) void *gpuci_slot_##f = (void *)absent;
NVML_NAMES(SLOT)
__attribute__((visibility("hidden"), used)) void *gpuci_slot_nvmlErrorString = (void *)nameless;

#ifdef JUMP
#define DEFINE(f) __asm__(".text\n.globl " #f "\n.type " #f ", %function\n" #f ":\n" JUMP(f) ".size " #f ", .-" #f "\n");
NVML_NAMES(DEFINE)
DEFINE(nvmlErrorString)
#endif

/* nvmlbind loads the library, for good, and says why it cannot; NULL when it did. */
const char *gpuci_nvmlbind(const char *path) {
	void *h = dlopen(path, RTLD_LAZY | RTLD_GLOBAL), *at;
	if (h == NULL) {
		const char *why = dlerror();
		return why ? why : "it cannot be loaded";
	}
#define FILL(f) if ((at = dlsym(h, #f)) != NULL) gpuci_slot_##f = at;
	NVML_NAMES(FILL)
	FILL(nvmlErrorString)
	return NULL;
}
