// Package reaper finds and ends what a killed build left behind, by the lane it
// belongs to and never by its name alone. Its ground, what the kernel says
// about a process, is in reaper/proc.
//
// Look takes a picture of the machine, Judge says of a picture which processes
// are leaked and why, and Sweep ends those, in passes, until none is left or
// its time is up. Watch only looks.
//
// It promises: nothing is ended because of what is not known; nothing of
// another user, another namespace or a lane that was not asked for; nobody who
// sits at a terminal, and no protected run; neither ourselves nor those above
// us. A signal goes only to the process that was judged, read again just
// before. A kill is counted when the process is gone, and one that SIGKILL does
// not end is named with what it waits for.
//
// What it does not find: a process without a name of the family, that has lost
// its parent before anybody looked, left its leaf and cleared its environment;
// one that works for a lane from another mount namespace or by the path of a
// bind mount that is not the lane's own.
package reaper
