/* renamer SCRIPT COMMAND...: calls itself cc, and starts COMMAND: an interpreter
 * with a program that chooses its name. */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	alarm(120);
	prctl(PR_SET_NAME, "cc", 0, 0, 0);
	if (argc > 2 && fork() == 0) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
