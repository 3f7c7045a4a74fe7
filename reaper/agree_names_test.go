package reaper_test

import (
	"strings"
	"testing"

	"gpuci/reaper"
)

// toolNames are names of tools and names that are none. An architecture that
// the rule has stands there with two, three and four parts.
func toolNames() (tools, others []string) {
	tools = strings.Fields(`ld cc c++ clang++ rust-lld ld.mold gcc-12 clang-22.1 clang++-22.1 lto-wrapper gpuci-link
		arm-none-eabi-gcc arm-linux-gnueabihf-ld.bfd x86_64-linux-gnu-gcc-12 x86_64-w64-mingw32-c++
		armv7a-unknown-linux-gnueabihf-clang-18 aarch64-unknown-linux-gnu-rust-lld
		x86_64-unknown-linux-musl-lto-wrapper nvptx64-nvidia-cuda-as x86_64-rust-lld`)
	for _, arch := range strings.Fields(`x86_64 i386 i486 i586 i686 aarch64 aarch64_be arm armeb armv6 armv6l armv7
		armv7a armv7l armv7hl riscv32 riscv64 powerpc powerpc64 powerpc64le ppc64le s390x mips mipsel mips64
		mips64el loongarch64 sparc64 wasm32 nvptx64`) {
		tools = append(tools, arch+"-linux-ld", arch+"-linux-gnu-ld", arch+"-unknown-linux-gnu-ld")
	}
	return tools, strings.Fields(`run-me-as a-b-cc x86-linux-gnu-gcc amd64-linux-gnu-gcc X86_64-linux-gnu-gcc linux-gnu-gcc
		my-x86_64-linux-gcc x86_64-ld aarch64-rust arm-gcc-12 x86_64-a-b-c-d-ld aarch64-unknown-linux-gnu-eabi-gcc arm--gnu-ld
		-arm-linux-ld x86_64-linux-gnu- x86_64-linux-gnu-12 x86_64-linux-gnu-ar x86_64-linux-gnu-gcc-ar x86_64-linux-gnu-ldd
		x86_64 ld- -ld LD ldd ld.so gcc-12a gcc-.1 gcc-1. gcc-12-13 gpuci cargo make`)
}

// TestToolNames gives all three of the leaked tree one name.
func TestToolNames(t *testing.T) {
	called := func(name string) *world {
		w := leakedTree()
		w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm = "/usr/bin/"+name, "x" })
		return w
	}
	tools, others := toolNames()
	for _, name := range tools {
		same(t, "programs called "+name, called(name), tree())
	}
	for _, name := range others {
		same(t, "programs called "+name, called(name), nil)
	}
}

// TestScriptNames puts a script of a name on top of the tree, in a session of
// another shell: the tools below one that is no wrapper are a tree of their own.
func TestScriptNames(t *testing.T) {
	called := func(name string) *world {
		w := leakedTree()
		w.set(func(it *reaper.Process) { it.Exe.Path, it.Comm, it.Session = "/bin/sh", name, 91 }, 100)
		w.know(100, func(f *fact) { f.Script = "/opt/wrap/" + name })
		return w
	}
	tools, others := toolNames()
	for _, name := range tools {
		same(t, "a script called "+name, called(name), tree())
	}
	for _, name := range others {
		same(t, "a script called "+name, called(name), []int{101, 102})
	}
}
