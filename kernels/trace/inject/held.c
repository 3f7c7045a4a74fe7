// A table that grows by what is in it: 65536 lists, each with one of 64 locks.
#include "noted.h"

#include <pthread.h>
#include <stdlib.h>

enum { LISTS = 1 << 16, LOCKS = 64 };

typedef struct Entry {
	struct Entry *next;
	uint64_t key;
	int of;
	Held it;
} Entry;

static Entry *lists[LISTS];
static struct {
	pthread_mutex_t lock;
	char apart[128 - sizeof(pthread_mutex_t)]; // two to a pair of cache lines
} locks[LOCKS] = {[0 ... LOCKS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static uint32_t list_of(int of, uint64_t key) { return ((key + (uint64_t)of) * 0x9E3779B97F4A7C15u) >> 48; }

static Entry **place(uint32_t list, int of, uint64_t key) {
	Entry **at = &lists[list];
	while (*at && ((*at)->key != key || (*at)->of != of)) at = &(*at)->next;
	return at;
}

// hold takes the place of what was there of that key: it is gone without our knowing.
void hold(int of, uint64_t key, Held it) {
	uint32_t list = list_of(of, key);
	pthread_mutex_lock(&locks[list % LOCKS].lock);
	Entry **at = place(list, of, key);
	if (!*at && (*at = calloc(1, sizeof **at))) (*at)->key = key, (*at)->of = of;
	if (*at) (*at)->it = it;
	pthread_mutex_unlock(&locks[list % LOCKS].lock);
}

int held(int of, uint64_t key, Held *it) {
	uint32_t list = list_of(of, key);
	pthread_mutex_lock(&locks[list % LOCKS].lock);
	Entry *e = *place(list, of, key);
	if (e) *it = e->it;
	pthread_mutex_unlock(&locks[list % LOCKS].lock);
	return e != 0;
}

int let_go(int of, uint64_t key, Held *it) {
	uint32_t list = list_of(of, key);
	pthread_mutex_lock(&locks[list % LOCKS].lock);
	Entry **at = place(list, of, key), *e = *at;
	if (e) *it = e->it, *at = e->next;
	pthread_mutex_unlock(&locks[list % LOCKS].lock);
	free(e);
	return e != 0;
}
