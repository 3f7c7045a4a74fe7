// The stand-in driver's streams, captures and graphs.
#include "driver.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int capturing;
static void *last; // graph that a capture made
static __thread Stream own; // CU_STREAM_PER_THREAD

static Stream legacy = {.number = 7};
static _Atomic uint32_t streams = 12;

static Stream *stream_of(void *stream) { return stream == (void *)2 ? &own : (uint64_t)stream <= 1 ? 0 : stream; }

Stream *work_stream(void *stream) {
	Stream *s = stream_of(stream);
	if (!s) return &legacy;
	if (!s->number) s->number = atomic_fetch_add(&streams, 1) + 1;
	return s;
}

int captures(void *stream, int type) {
	Stream *s = stream_of(stream);
	if (!s || !s->capturing) return 0;
	Node *node = calloc(1, sizeof *node);
	node->type = type, node->takes = work_takes();
	s->graph->node[s->graph->n++] = node;
	return 1;
}

typedef struct {
	void **stream;
	unsigned flags;
} Create;

static int create(const void *p) { return *((const Create *)p)->stream = calloc(1, sizeof(Stream)), 0; }

API int cuStreamCreate(void **stream, unsigned flags) {
	Create p = {stream, flags};
	return around(ID_cuStreamCreate, &p, 0, create);
}

typedef struct {
	void *stream;
	union {
		int mode;
		void **graph;
	};
} Capture;

static int begin(const void *params) {
	static _Atomic uint64_t ids;
	const Capture *p = params;
	Stream *s = stream_of(p->stream);
	if (!s || s->capturing) return 900; // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
	s->capturing = 1, s->id = atomic_fetch_add(&ids, 1) + 1, s->graph = calloc(1, sizeof(Graph));
	atomic_fetch_add(&capturing, 1);
	return 0;
}

static int end(const void *params) {
	const Capture *p = params;
	Stream *s = stream_of(p->stream);
	if (!s || !s->capturing) return 401; // CUDA_ERROR_ILLEGAL_STATE
	*p->graph = last = s->graph;
	s->capturing = 0;
	atomic_fetch_sub(&capturing, 1);
	return 0;
}

API int cuStreamBeginCapture_v2(void *stream, int mode) {
	Capture p = {stream, {.mode = mode}};
	return around(ID_cuStreamBeginCapture_v2, &p, 0, begin);
}

API int cuStreamEndCapture(void *stream, void **graph) {
	Capture p = {stream, {.graph = graph}};
	return around(ID_cuStreamEndCapture, &p, 0, end);
}

// An error of the legacy stream while another is captured is CUDA_ERROR_STREAM_CAPTURE_IMPLICIT.
API int cuStreamGetCaptureInfo(void *stream, int *status, uint64_t *id) {
	Stream *s = stream_of(stream);
	if (!s && capturing) return 906;
	*status = s && s->capturing, *id = s ? s->id : 0;
	return 0;
}

API int cuGraphGetNodes(void *graph, void **nodes, size_t *n) {
	Graph *g = graph;
	if (nodes) memcpy(nodes, g->node, *n * sizeof *nodes);
	*n = g->n;
	return 0;
}

API int cuGraphNodeGetType(void *node, int *type) { return *type = ((Node *)node)->type, 0; }
API int cuGraphChildGraphNodeGetGraph(void *node, void **graph) { return *graph = ((Node *)node)->child, 0; }

API int cuGraphAddChildGraphNode(void **to, void *graph, const void *const *after, size_t n, void *child) {
	(void)after, (void)n;
	Graph *g = graph;
	Node *node = calloc(1, sizeof *node);
	node->type = CHILD_NODE, node->child = child;
	*to = g->node[g->n++] = node;
	return 0;
}

typedef struct {
	void **exec;
	void *graph;
	unsigned long long flags;
} Instantiate;

typedef struct {
	uint64_t takes, number;
} Exec;

static uint64_t all_of(const Graph *g) {
	uint64_t sum = 0;
	for (size_t i = 0; i < g->n; i++) sum += g->node[i]->child ? all_of(g->node[i]->child) : g->node[i]->takes;
	return sum;
}

static int instantiate(const void *params) {
	static _Atomic uint64_t numbers;
	const Instantiate *p = params;
	Exec *e = malloc(sizeof *e);
	*e = (Exec){all_of(p->graph), atomic_fetch_add(&numbers, 1) + 1};
	*p->exec = e;
	return 0;
}

API int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags) {
	Instantiate p = {exec, graph, flags};
	return around(ID_cuGraphInstantiateWithFlags, &p, 0, instantiate);
}

typedef struct {
	void *exec, *stream;
} Launch;

static int launch(const void *params) {
	const Launch *p = params;
	const Exec *e = p->exec;
	if (!captures(p->stream, CHILD_NODE)) works(RAN_GRAPH, work_stream(p->stream), e->takes, (Ran){.graph = e->number});
	return 0;
}

API int cuGraphLaunch(void *exec, void *stream) {
	Launch p = {exec, stream};
	return around(ID_cuGraphLaunch, &p, 0, launch);
}

static int destroy(const void *params) { return free(*(void *const *)params), 0; }

API int cuGraphExecDestroy(void *exec) { return around(ID_cuGraphExecDestroy, &exec, 0, destroy); }

typedef struct {
	void **graph;
	unsigned flags;
} Make;

// Where the last one was that a capture made: NVIDIA's gives an address again.
static int make(const void *params) { return *((const Make *)params)->graph = last, 0; }

API int cuGraphCreate(void **graph, unsigned flags) {
	Make p = {graph, flags};
	return around(ID_cuGraphCreate, &p, 0, make);
}

typedef struct {
	void *it, *other, *info;
} Alter;

static int altered(const void *params) { return (void)params, 0; }

API int cuGraphExecUpdate_v2(void *exec, void *graph, void *info) {
	Alter p = {exec, graph, info};
	return around(ID_cuGraphExecUpdate_v2, &p, 0, altered);
}

API int cuGraphKernelNodeSetParams_v2(void *node, const void *kernel) {
	Alter p = {node, (void *)kernel, 0};
	return around(ID_cuGraphKernelNodeSetParams_v2, &p, 0, altered);
}

API int cuGraphExecKernelNodeSetParams_v2(void *exec, void *node, const void *kernel) {
	Alter p = {exec, node, (void *)kernel};
	return around(ID_cuGraphExecKernelNodeSetParams_v2, &p, 0, altered);
}

API int cuGraphNodeSetEnabled(void *exec, void *node, unsigned enabled) {
	struct {
		void *exec, *node;
		unsigned enabled;
	} p = {exec, node, enabled};
	return around(ID_cuGraphNodeSetEnabled, &p, 0, altered);
}

static int in_capture(const void *params) {
	void *stream = *(void *const *)params;
	if (captures(stream, HOST_NODE)) return 900;
	work_done(work_stream(stream));
	return 0;
}

static int all_done(const void *params) { return (void)params, work_done(0), 0; }

API int cuStreamSynchronize(void *stream) { return around(ID_cuStreamSynchronize, &stream, 0, in_capture); }
API int cuCtxSynchronize(void) { return around(ID_cuCtxSynchronize, 0, 0, all_done); }
API int cuEventSynchronize(void *event) { return around(ID_cuEventSynchronize, &event, 0, all_done); }
