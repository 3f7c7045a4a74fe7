// The lines that are calls of NVTX, of its own header where there is one.
#include "play.h"

#include <string.h>

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

static nvtxDomainHandle_t domain(const char *name) {
	void **d = thing("domain", name);
	if (!*d) *d = nvtxDomainCreateA(name);
	return *d;
}

static nvtxEventAttributes_t attributes(const char *text) {
	nvtxEventAttributes_t a = {0};
	a.version = NVTX_VERSION, a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	a.messageType = NVTX_MESSAGE_TYPE_ASCII, a.message.ascii = text;
	return a;
}

static nvtxEventAttributes_t kept(nvtxDomainHandle_t d, const char *text) {
	nvtxEventAttributes_t a = attributes(text);
	a.messageType = NVTX_MESSAGE_TYPE_REGISTERED, a.message.registered = nvtxDomainRegisterStringA(d, text);
	return a;
}

static void within(nvtxDomainHandle_t d, char **w) {
	nvtxEventAttributes_t a = w[3] ? kept(d, w[3]) : (nvtxEventAttributes_t){0};
	if (!strcmp(w[2], "push")) nvtxDomainRangePushEx(d, &a);
	if (!strcmp(w[2], "pop")) nvtxDomainRangePop(d);
	if (!strcmp(w[2], "mark")) nvtxDomainMarkEx(d, &a);
	if (!strcmp(w[2], "open")) *(nvtxRangeId_t *)thing("range", w[3]) = nvtxDomainRangeStartEx(d, &a);
	if (!strcmp(w[2], "close")) nvtxDomainRangeEnd(d, *(nvtxRangeId_t *)thing("range", w[3]));
}

int range_line(char **w) {
	nvtxEventAttributes_t a = attributes(w[1] ? w[1] : "");
	if (!strcmp(w[0], "push")) return nvtxRangePushA(w[1]), 1;
	if (!strcmp(w[0], "pushex")) return nvtxRangePushEx(&a), 1;
	if (!strcmp(w[0], "pop")) return nvtxRangePop(), 1;
	if (!strcmp(w[0], "mark")) return nvtxMarkA(w[1]), 1;
	if (!strcmp(w[0], "open")) return *(nvtxRangeId_t *)thing("range", w[1]) = nvtxRangeStartA(w[1]), 1;
	if (!strcmp(w[0], "close")) return nvtxRangeEnd(*(nvtxRangeId_t *)thing("range", w[1])), 1;
	if (!strcmp(w[0], "domain")) return within(domain(w[1]), w), 1;
	return 0;
}
#else
int range_line(char **w) {
	if (strstr(" push pushex pop mark open close domain ", w[0])) fail("it was compiled without NVTX's header: make standin-cuda NVTX_INCLUDE=DIR, where DIR has nvtx3/nvToolsExt.h (pip install nvidia-nvtx)", w[0]);
	return 0;
}
#endif
