/* tracer PID: traces a process, never waits for it, and so keeps its zombie. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv) {
	if (argc != 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0)
		return 2;
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
