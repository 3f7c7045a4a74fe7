// Package bundle packs gates with all that their runs need into one archive, and says of
// an archive that was unpacked whether it is still that.
//
// A bundle is a directory with gpuci, the workspace's gpuci.toml as it was, the programs
// and files that the gates' runs open, at the paths they have in the workspace, and a
// manifest: what it was made of (commit, uncommitted changes, tree), its gates, and of
// each file the size and SHA-256. Its id is the SHA-256 of the manifest.
//
// It promises: the same files, settings and gpuci make the same bytes; nothing is packed
// that is not what the build gave; what was changed, is missing, or is executable and was
// not packed is named before a gate of it runs; nothing of a manifest leads out of its
// directory. It does not promise to know what a program opens that no configuration
// names, and it is no signature: who changes a file and the manifest has another bundle,
// with another id.
package bundle
