//go:build cuda && cgo && linux

// The driver's library is no part of this program: it is loaded here, before anything
// of Go runs, and the calls of gorgonia.org/cu find their functions in it when they are
// first made. That package would otherwise end the process from an init of its own, and
// without the library no process would come to be at all.

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// refuse says why there is no driver, as an answer and for people, and ends the process.
static void refuse(const char *why) {
	char text[512];
	size_t n = 0;
	for (; *why && n < sizeof text - 1; why++) {
		if (*why != '"' && *why != '\\' && (unsigned char)*why >= ' ')
			text[n++] = *why;
	}
	text[n] = 0;
	fprintf(stderr, "gpuci-cuda: no NVIDIA driver that works here: %s\n", text);
	printf("{\"type\":\"error\",\"code\":\"no-driver\",\"text\":\"no NVIDIA driver that works here: %s\"}\n", text);
	fflush(stdout);
	_exit(69);
}

__attribute__((constructor)) static void load(void) {
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
	if (!library)
		refuse(dlerror());
	CUresult (*init)(unsigned int) = (CUresult(*)(unsigned int))dlsym(library, "cuInit");
	if (!init)
		refuse("libcuda.so.1 has no cuInit");
	CUresult result = init(0);
	if (result == CUDA_SUCCESS)
		return;
	const char *name = NULL, *said = NULL;
	CUresult (*name_of)(CUresult, const char **) = (CUresult(*)(CUresult, const char **))dlsym(library, "cuGetErrorName");
	CUresult (*text_of)(CUresult, const char **) = (CUresult(*)(CUresult, const char **))dlsym(library, "cuGetErrorString");
	if (name_of)
		name_of(result, &name);
	if (text_of)
		text_of(result, &said);
	char why[256];
	snprintf(why, sizeof why, "cuInit gave %d, %s: %s", (int)result, name ? name : "which has no name", said ? said : "no more is known");
	refuse(why);
}
