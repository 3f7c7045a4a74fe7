// Package ci will run gates over all lanes: by night, on a schedule, and on a
// Slurm cluster.
//
// Nothing of it is in this version.
package ci
