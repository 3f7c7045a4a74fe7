// What goes by a name in a script.
#define _GNU_SOURCE
#include "play.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void fail(const char *what, const char *which) {
	fprintf(stderr, "play: %s: %s\n", what, which);
	_exit(99);
}

uint64_t number(const char *word) {
	char *end;
	if (!word) fail("a number is missing", "");
	uint64_t n = strtoull(word, &end, 0);
	if (*end || end == word) fail("no number", word);
	return n;
}

void *cuda(const char *function) {
	static void *library;
	if (!library && !(library = dlopen("libcuda.so.1", RTLD_NOW))) fail("no CUDA", dlerror());
	void *f = dlsym(library, function);
	if (!f) fail("the driver has no", function);
	return f;
}

void **thing(const char *kind, const char *name) {
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct Thing {
		struct Thing *next;
		char *name;
		void *it;
	} *things;
	char full[10000];
	snprintf(full, sizeof full, "%s %s", kind, name);
	pthread_mutex_lock(&lock);
	struct Thing *t = things;
	while (t && strcmp(t->name, full)) t = t->next;
	if (!t) {
		t = calloc(1, sizeof *t);
		t->name = strdup(full);
		t->next = things, things = t;
	}
	pthread_mutex_unlock(&lock);
	return &t->it;
}
