// libcupti.so.13: callbacks of the stand-in driver's calls, for one subscriber.
#define _GNU_SOURCE
#include "hook.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

enum { DRIVER = 1, INVALID = 1, OTHER_SUBSCRIBER = 39 };

typedef void (*Callback)(void *user, int domain, uint32_t id, const void *data);

static Callback callback;
static void *user;
static char on[ID_END];

static void heard(unsigned id, const Data *d) {
	if (on[id]) callback(user, DRIVER, id, d);
}

static void *driver(const char *name) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	return library ? dlsym(library, name) : 0;
}

// CUPTI_STANDIN_ERROR is the error that nobody can subscribe for.
API int cuptiSubscribe(void **subscriber, Callback to, void *data) {
	const char *error = getenv("CUPTI_STANDIN_ERROR");
	void (*hook)(Hook) = (void (*)(Hook))driver("standin_hook");
	if (error && *error) return atoi(error);
	if (callback) return OTHER_SUBSCRIBER;
	if (!hook) return INVALID;
	callback = to, user = data, *subscriber = &callback;
	hook(heard);
	return 0;
}

API int cuptiEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id) {
	if (subscriber != &callback || domain != DRIVER || id == 0 || id >= ID_END) return INVALID;
	on[id] = enable != 0;
	return 0;
}

API int cuptiGetCallbackName(int domain, uint32_t id, const char **name) {
	const char *const *names = driver("standin_names");
	if (domain != DRIVER || !names || id == 0 || id >= ID_END) return INVALID;
	*name = names[id];
	return 0;
}

API int cuptiGetVersion(uint32_t *version) { return *version = 130001, 0; }

API int cuptiGetResultString(int error, const char **text) {
	*text = error == OTHER_SUBSCRIBER ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED" : error == 35 ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_INVALID_PARAMETER";
	return 0;
}
