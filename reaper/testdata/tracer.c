/* tracer PID: traces it and lets it run, as strace -p does. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(int argc, char **argv) {
	alarm(120);
	if (argc < 2 || ptrace(PTRACE_SEIZE, atoi(argv[1]), 0, 0) != 0) {
		perror("seize");
		return 1;
	}
	puts("traces");
	fflush(stdout);
	pause();
	return 0;
}
