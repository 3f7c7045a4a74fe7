// Package reaper finds and ends what a killed build left behind, by the lane it
// belongs to and never by its name alone. Its ground, what the kernel says
// about a process, is in reaper/proc.
//
// Look takes a picture of the machine, Judge says of a picture which processes
// are leaked and why, and Sweep ends those, in passes, until none is left or
// its time is up. Watch only looks.
//
// Leaked is a chain of compilers and linkers that has lost the build it was
// started by, and what a gpuci that was killed had started, each with all below
// it. What has lost its parent below a living gpuci is not, for that one ends
// it; nor is what was started under a run that goes on, by its cgroup leaf or
// by its environment; nor what leads its session in a service of systemd's, which
// process 1 may have started itself.
//
// What is orphaned anew all the time, so that it never gets old enough, is a
// Chain of forks or a build that lets go of what it starts. The two look the
// same: it is named, and nothing is sent.
//
// It promises: nothing is ended because of what is not known; nothing of
// another user, another namespace or a lane that was not asked for; nobody who
// sits at a terminal, and no protected run; neither ourselves nor those above
// us; and nothing below any of these, whatever else speaks for it. A signal
// goes only to the process that was judged, read again just before. A kill is
// counted when the process is gone, and one that SIGKILL does not end is named
// with what it waits for.
//
// A look costs one read and one link for each process of the machine. All else
// is read of those alone that it decides about, environments last: a child
// reads them, and where it gets no answer, nobody knows.
//
// What it does not find: a process without a name of the family, that has lost
// its parent before anybody looked, left its leaf and cleared its environment;
// one that works for a lane from another mount namespace or by the path of a
// bind mount that is not the lane's own; while a run goes on, one whose
// environment does not answer.
package reaper
