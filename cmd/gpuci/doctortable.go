package main

// kit is a tool that doctor looks for.
type kit struct {
	name  string
	group string   // of the check
	args  []string // what it says its version to; --version when nil
	get   string   // how to get it
	lost  string   // without it, where that is more than what is said of who names it
}

// kits are the tools that are looked for, in the order of their telling. Asked
// for their versions they write nothing, start nothing and read nothing of the
// lane's: pytest would run a conftest.py there.
func kits() []kit {
	apt := func(pkg string) string { return "apt-get install " + pkg }
	return []kit{
		{name: "git", group: "git", get: apt("git")},
		{name: "bash", group: "tools", get: apt("bash"), lost: "strings in run and build are run by it"},
		{name: "cc", group: "tools", get: apt("gcc")},
		{name: "c++", group: "tools", get: apt("g++")},
		{name: "gcc", group: "tools", get: apt("gcc")},
		{name: "g++", group: "tools", get: apt("g++")},
		{name: "clang", group: "tools", get: apt("clang")},
		{name: "rustc", group: "tools", get: "https://rustup.rs, or " + apt("rustc")},
		{name: "cargo", group: "tools", get: "https://rustup.rs, or " + apt("cargo")},
		{name: "go", group: "tools", args: []string{"version"}, get: "https://go.dev/dl, or " + apt("golang")},
		{name: "cmake", group: "tools", get: apt("cmake")},
		{name: "ctest", group: "tools", get: apt("cmake")},
		{name: "ninja", group: "tools", get: apt("ninja-build")},
		{name: "make", group: "tools", get: apt("make")},
		{name: "meson", group: "tools", get: apt("meson")},
		{name: "python3", group: "tools", get: apt("python3")},
		{name: "pytest", group: "tools", args: []string{"--version", "--noconftest", "-c", "/dev/null"}, get: "python3 -m pip install pytest, or " + apt("python3-pytest")},
		{name: "git-lfs", group: "tools", args: []string{"version"}, get: apt("git-lfs"), lost: "files of git-lfs stay the pointers to them, and tests read these"},
		{name: "gdb", group: "tools", get: apt("gdb"), lost: "of a gate that hangs there are the kernel's stacks, and none of its threads' own"},
		{name: "shellcheck", group: "tools", get: apt("shellcheck")},
		{name: "ld", group: "linkers", get: apt("binutils")},
		{name: "ld.bfd", group: "linkers", get: apt("binutils")},
		{name: "ld.gold", group: "linkers", get: apt("binutils")},
		{name: "ld.lld", group: "linkers", get: apt("lld")},
		{name: "mold", group: "linkers", get: apt("mold")},
		{name: "wild", group: "linkers", get: "cargo install --locked wild-linker"},
		{name: "ccache", group: "caches", get: apt("ccache")},
		{name: "sccache", group: "caches", get: apt("sccache")},
	}
}

// cudaKits stand beside nvcc, in its own directory or on PATH.
func cudaKits() []kit {
	toolkit := "NVIDIA's CUDA toolkit of nvcc's version"
	return []kit{
		{name: "ptxas", get: "python3 -m pip install nvidia-cuda-nvcc, or " + toolkit},
		{name: "cuobjdump", get: toolkit}, {name: "nvdisasm", get: toolkit},
		{name: "compute-sanitizer", get: toolkit}, {name: "ncu", get: "NVIDIA Nsight Compute, or " + toolkit},
	}
}
