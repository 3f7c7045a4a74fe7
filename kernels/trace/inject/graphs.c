// Graphs, and the captures that make them.
#include "noted.h"
#include "record.h"

#include <stdio.h>

enum { NODE_TYPES = 16 }; // CUgraphNodeType: kernel, copy, set, host, child, empty, …

// A graph that is made ready is a new one each time, also with the handle of an old one.
void graph_instantiated(const CallbackData *d, uint8_t flags) {
	const Instantiate *p = d->params;
	static _Atomic uint32_t serial;
	uint32_t key = atomic_fetch_add(&serial, 1) + 1;
	unsigned of[NODE_TYPES] = {0};
	char text[512];
	void *exec = flags & FAILED ? 0 : *p->exec;
	driver_nodes(p->graph, of, NODE_TYPES);
	int n = snprintf(text, sizeof text, "%p\t%p\t", exec, p->graph);
	for (int i = 0; i < NODE_TYPES; i++) n += snprintf(text + n, sizeof text - n, "%s%u", i ? "," : "", of[i]);
	Held it = {0, name_of('G', &key, sizeof key, text)};
	if (exec) hold(EXEC, (uint64_t)exec, it);
	record(INSTANTIATE, flags, *d->own, it.number, 0, d->context_uid);
}

// What a graph holds is known by its capture; not of another one in its place, nor once it
// is changed. A node does not say whose it is.
void graph_altered(const Call *c, const CallbackData *d, uint8_t flags) {
	const MakeGraph *made = d->params;
	const AlterExec *altered = d->params;
	Held it = {0, 0};
	uint64_t which = 0;
	uint32_t of = ANYTHING;
	if (c->params == MAKES_GRAPH && !(flags & FAILED)) of = GRAPH_OF, which = (uint64_t)*made->graph;
	if (c->params == ALTERS_NODE) of = ANY_GRAPH;
	if (c->params == ALTERS_EXEC && held(EXEC, (uint64_t)altered->exec, &it)) of = EXEC_OF, which = it.number;
	if (c->params == SWITCHES_NODE) {
		of = SWITCHED;
		if (held(EXEC, (uint64_t)altered->exec, &it)) which = it.number;
	}
	record(ALTER, flags, *d->own, c->name, which, of);
}

void graph_left(const Call *c, const CallbackData *d, uint8_t flags) {
	const GraphLaunch *p = d->params;
	Held it = {0, 0};
	if (c->params == NONE) {
		record(GRAPH, flags, *d->own, 0, 0, d->context_uid);
		return;
	}
	held(EXEC, (uint64_t)p->exec, &it);
	void *stream = p->stream || !c->per_thread ? p->stream : (void *)2; // CU_STREAM_PER_THREAD
	record(GRAPH, flags | captured(stream), *d->own, it.number, (uint64_t)stream, d->context_uid);
}
