//go:build linux

package main_test

import "testing"

// Build systems that make the build's files first: here long before, bare.

func cmakeMake() project {
	return project{
		archive: "cmake", tools: []string{"cmake", "make"}, links: 11,
		configure: []string{"cmake", "-S", ".", "-B", "out"},
		build:     []string{"make", "-C", "out", "-j8"}, clean: []string{"make", "-C", "out", "clean"},
		products: []string{"out/p*", "out/*.so"}, did: `Building|Linking`,
	}
}

func cmakeNinja() project {
	return project{
		archive: "cmake", tools: []string{"cmake", "ninja"}, links: 11,
		configure: []string{"cmake", "-S", ".", "-B", "out", "-G", "Ninja"},
		build:     []string{"cmake", "--build", "out", "-j8"}, clean: []string{"ninja", "-C", "out", "-t", "clean"},
		products: []string{"out/p*", "out/*.so"}, did: `\[\d+/\d+\]`,
	}
}

// meson is told the compiler: by itself it would put whatever compiler cache
// there is in front, with the user's own cache and server.
func meson() project {
	return project{
		archive: "meson", tools: []string{"meson", "ninja", "gcc"}, links: 10, env: []string{"CC=gcc"},
		configure: []string{"meson", "setup", "out"},
		build:     []string{"ninja", "-C", "out", "-j8"}, clean: []string{"ninja", "-C", "out", "-t", "clean"},
		products: []string{"out/p?"}, did: `\[\d+/\d+\]`,
	}
}

func TestMatrixCMakeMake(t *testing.T) { cmakeMake().show(t) }

func TestMatrixCMakeNinja(t *testing.T) { cmakeNinja().show(t) }

func TestMatrixMeson(t *testing.T) { meson().show(t) }
