/* Calls vfork, and the child sleeps: the parent is in D until it ends, and can
 * be killed, which leaves the child. */
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	alarm(120);
	if (vfork() == 0) {
		alarm(120);
		for (;;)
			pause();
	}
	wait(NULL);
	return 0;
}
