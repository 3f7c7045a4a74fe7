/* Calls vfork, and the child sleeps: the parent is in D until it ends. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	puts("ready");
	fflush(stdout);
	if (vfork() == 0) {
		for (;;)
			pause();
	}
	wait(NULL);
	return 0;
}
