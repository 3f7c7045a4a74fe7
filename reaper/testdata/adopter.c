/* adopter COMMAND...: a subreaper, as systemd --user and tmux are, to whom
 * COMMAND is handed when the one that started it ends. */
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
	alarm(120);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (argc > 1 && fork() == 0) {
		setsid();
		if (fork() == 0) {
			execv(argv[1], argv + 1);
			_exit(127);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
