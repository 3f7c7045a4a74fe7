//go:build linux

package main_test

import "testing"

// rusty is a crate with twelve files under tests/: with the library's own
// tests, 13 links at once in each lane. It is case 1 of the field.
func rusty(config string, tools ...string) project {
	return project{
		archive: "cargo", tools: append(tools, "cargo"), links: 13,
		files: map[string]string{".cargo/config.toml": config},
		build: []string{"cargo", "build", "--offline", "--tests", "-j8"}, clean: []string{"cargo", "clean", "--offline"},
		products: []string{"target/debug/deps/*-????????????????"}, did: "Compiling",
	}
}

// TestMatrixCargo links with the lld that comes with Rust; only the cc shim
// can see it.
func TestMatrixCargo(t *testing.T) { rusty("").showSlots(t, true) }

func TestMatrixCargoMold(t *testing.T) {
	rusty(`build.rustflags = ["-Clink-arg=-fuse-ld=mold"]`, "mold").show(t)
}

func TestMatrixCargoClang(t *testing.T) {
	rusty(`target."cfg(unix)".linker = "clang"`, "clang").show(t)
}

// TestMatrixCargoClangAbsolute: only the ld shim, found through COMPILER_PATH,
// can see these.
func TestMatrixCargoClangAbsolute(t *testing.T) {
	clang, err := lookPath(bareEnv(), "clang")
	if err != nil {
		needs(t, "clang")
	}
	rusty(`target."cfg(unix)".linker = "` + clang + `"`).show(t)
}

// TestMatrixBuildScript: a build script that calls ld itself.
func TestMatrixBuildScript(t *testing.T) {
	project{
		archive: "script", tools: []string{"cargo", "ld"}, links: 10,
		build: []string{"cargo", "build", "--offline", "-j8"}, clean: []string{"cargo", "clean", "--offline"},
		products: []string{"target/debug/script", "target/debug/build/*/out/*.o"}, did: "Compiling",
	}.show(t)
}
