// Prints, for each name of a driver's call that it reads, what the library knows of it.
#include "../../inject/calls.h"
#include "../../inject/cupti.h"
#include "../../inject/record.h"

#include <stdio.h>
#include <string.h>

static const char *const layouts[] = {
	[NONE] = "NONE", [KERNEL] = "KERNEL", [KERNEL_EX] = "KERNEL_EX", [KERNEL_MULTI] = "KERNEL_MULTI", [KERNEL_GRID] = "KERNEL_GRID", [KERNEL_OLD] = "KERNEL_OLD",
	[BYTES] = "BYTES", [PEER] = "PEER", [BOX_2D] = "BOX_2D", [BOX_3D] = "BOX_3D", [COUNT] = "COUNT", [COUNT_2D] = "COUNT_2D",
	[SIZE] = "SIZE", [PITCH] = "PITCH", [POINTER] = "POINTER", [CREATED] = "CREATED", [CREATION] = "CREATION",
	[GRAPH_ARGUMENTS] = "GRAPH_ARGUMENTS", [BEGINS] = "BEGINS", [ENDS] = "ENDS",
	[MAKES_GRAPH] = "MAKES_GRAPH", [ALTERS_EXEC] = "ALTERS_EXEC", [ALTERS_NODE] = "ALTERS_NODE", [SWITCHES_NODE] = "SWITCHES_NODE",
};

int main(void) {
	char name[256];
	while (scanf("%255s", name) == 1) {
		Call c = {0};
		if (call_named(name, &c)) printf("%s %d %s %d %d %d\n", name, c.kind, layouts[c.params], c.element, c.stream, c.per_thread);
	}
	return 0;
}
