// What is asked of the driver itself, of the copy that the program has loaded.
#define _GNU_SOURCE
#include "noted.h"
#include "record.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int (*graph_nodes)(void *graph, void **nodes, size_t *count);
static int (*node_type)(void *node, int *type);
static int (*child_graph)(void *node, void **graph);
static int (*current_device)(int *device);
static int (*device_name)(char *name, int size, int device);
static int (*device_uuid)(unsigned char uuid[16], int device);
static int (*capture_info)(void *stream, int *status, uint64_t *id);

void find(void *library, const char *name, void *to) { *(void **)to = dlsym(library, name); }

void driver_begin(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	int (*version)(int *) = 0, v = 0;
	if (!library) return;
	find(library, "cuDriverGetVersion", &version);
	if (version && !version(&v)) record_head()->driver = v;
	find(library, "cuCtxGetDevice", &current_device);
	find(library, "cuDeviceGetName", &device_name);
	find(library, "cuDeviceGetUuid_v2", &device_uuid);
	if (!device_uuid) find(library, "cuDeviceGetUuid", &device_uuid);
	find(library, "cuGraphGetNodes", &graph_nodes);
	find(library, "cuGraphNodeGetType", &node_type);
	find(library, "cuGraphChildGraphNodeGetGraph", &child_graph);
	find(library, "cuStreamGetCaptureInfo", &capture_info);
}

int driver_device(int *device) { return current_device ? current_device(device) : -1; }

int driver_capturing(void *stream) {
	int status = 0;
	uint64_t id;
	return capture_info && !capture_info(stream, &status, &id) && status != 0;
}

void driver_card(int device, char *text, unsigned size) {
	char name[100] = "";
	unsigned char u[16] = {0};
	if (device_name) device_name(name, sizeof name, device);
	if (device_uuid) device_uuid(u, device);
	snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x\t%s",
		u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15], name);
}

enum { CHILD = 4, DEPTH = 8 }; // graphs in graphs

static void count(void *graph, unsigned *of, int types, int depth) {
	size_t n = 0;
	if (depth > DEPTH || !graph_nodes || !node_type || graph_nodes(graph, 0, &n) || !n) return;
	void **nodes = calloc(n, sizeof *nodes), *child;
	if (nodes && !graph_nodes(graph, nodes, &n))
		for (size_t i = 0; i < n; i++) {
			int type = 0;
			if (node_type(nodes[i], &type)) continue;
			if (type >= 0 && type < types) of[type]++;
			if (type == CHILD && child_graph && !child_graph(nodes[i], &child)) count(child, of, types, depth + 1);
		}
	free(nodes);
}

void driver_nodes(void *graph, unsigned *of, int types) { count(graph, of, types, 0); }
