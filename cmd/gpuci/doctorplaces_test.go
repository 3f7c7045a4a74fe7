package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gpuci/buildlock"
	"gpuci/buildlock/shim"
)

// Caches in front of compilers: by variable, by cargo's configuration, by a
// directory of PATH; and what becomes of their entries.
func TestDoctorCaches(t *testing.T) {
	s := newStage(t)
	bin := s.tools(t, map[string]string{"gcc": "gcc (x) 12.2.0", "ccache": "ccache version 4.7.5", "sccache": "sccache 0.8.0", "cc": "#!/bin/sh\ncase $1 in *Wl*) echo mold 2.30.0; exit;; esac\necho cc 1.0\n"})
	masks := t.TempDir()
	if err := os.Symlink(filepath.Join(bin, "ccache"), filepath.Join(masks, "gcc")); err != nil {
		t.Fatal(err)
	}
	s.env = shim.With(s.env, "PATH", masks+":"+bin)
	d := s.doctor(t)
	d.want(t, "caches/ccache", stateOK, "4.7.5")
	d.want(t, "caches/in front", stateOK, "ccache, by "+masks+" on PATH (gcc)", "real compiler")
	d.want(t, "linkers/cc's own", stateOK, "mold 2.30.0")
	d.want(t, "linkers/shims", stateOK, "stand for 4 tools")
	d.want(t, "linkers/stand for", stateOK, "cc, ccache, gcc, sccache")

	s.env = append(s.env, "CCACHE_COMPILERCHECK=none")
	s.doctor(t).want(t, "caches/in front", stateLost, "what the old one made", "unset CCACHE_COMPILERCHECK")

	s.env = append(shim.With(s.env, "PATH", bin), "CMAKE_C_COMPILER_LAUNCHER="+filepath.Join(bin, "sccache"))
	s.doctor(t).want(t, "caches/in front", stateLost, "by CMAKE_C_COMPILER_LAUNCHER", "gpuci env again")

	s.env = append(shim.Without(s.env, "CMAKE_C_COMPILER_LAUNCHER"), "RUSTC_WRAPPER=nonesuch")
	s.doctor(t).want(t, "caches/nonesuch", stateBroken, "RUSTC_WRAPPER names nonesuch")
}

// What calls a linker past the shims is named with its file and line.
func TestDoctorPast(t *testing.T) {
	s := newStage(t)
	s.tools(t, nil)
	s.doctor(t).want(t, "linkers/past the shims", stateOK)
	if err := os.Mkdir(filepath.Join(s.dir, ".cargo"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.write(t, ".cargo/config.toml", "[build]\nrustc-wrapper = \"nonesuch\"\n[target.x86_64-unknown-linux-gnu]\nlinker = \"/usr/bin/clang\"\n")
	s.env = append(s.env, "LD=/usr/bin/ld.gold", "RUSTFLAGS=-C link-arg=-fuse-ld=/opt/mold")
	d := s.doctor(t)
	d.want(t, "linkers/past the shims", stateLost, filepath.Join(s.dir, ".cargo/config.toml")+":4 names /usr/bin/clang", "LD is /usr/bin/ld.gold", "RUSTFLAGS names /opt/mold")
	d.want(t, "caches/nonesuch", stateBroken, ".cargo/config.toml:2 names nonesuch")
}

// Which nvcc is taken, and why, and why none of the others; its tools are those
// beside it.
func TestDoctorCUDA(t *testing.T) {
	const said = `#!/bin/sh
here=${0%/*}
case $1 in
--version) echo 'Cuda compilation tools, release 13.0, V13.0.88' ;;
--dryrun) printf '#$ _HERE_=%s\n#$ CICC_PATH=%s\n#$ INCLUDES="-I%s/include"\n' "$here" "$here" "$here" >&2 ;;
esac
`
	s := newStage(t)
	program := func(path string) string {
		path = filepath.Join(filepath.Dir(s.dir), path)
		for name, text := range map[string]string{
			"nvcc": said, "cicc": "", "ptxas": said, "include/cuda_runtime.h": "", "include/crt/host_config.h": "",
		} {
			name = filepath.Join(filepath.Dir(path), name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	s.tools(t, nil)
	venv := program("venv/lib/python3.11/site-packages/nvidia/cu13/bin/nvcc")
	s.env = append(s.env, "VIRTUAL_ENV="+filepath.Join(filepath.Dir(s.dir), "venv"))
	d := s.doctor(t)
	d.want(t, "cuda/nvcc", stateOK, venv, "13.0.88", "taken: in the environment of VIRTUAL_ENV")
	d.want(t, "cuda/ptxas", stateOK, filepath.Dir(venv), "13.0.88")
	d.want(t, "cuda/cuobjdump", stateOK, "not here")

	home := program("toolkit/bin/nvcc")
	s.env = append(s.env, "CUDA_HOME="+filepath.Join(filepath.Dir(s.dir), "toolkit"))
	s.doctor(t).want(t, "cuda/nvcc", stateOK, home, "taken: by CUDA_HOME", "; also there, and not asked: "+venv+", in the environment of VIRTUAL_ENV")

	if err := os.Remove(filepath.Join(filepath.Dir(home), "cicc")); err != nil {
		t.Fatal(err)
	}
	s.doctor(t).want(t, "cuda/nvcc", stateOK, venv, "; not "+home+": by CUDA_HOME: has no cicc: it comes with nvidia-nvvm")

	own := program("own/nvcc")
	s.env = append(s.env, nvccVariable+"="+own)
	s.doctor(t).want(t, "cuda/nvcc", stateOK, own, "taken: named by "+nvccVariable)
	s.env = append(s.env, nvccVariable+"="+own+"x")
	s.doctor(t).want(t, "cuda/nvcc", stateBroken, "named by "+nvccVariable+": no such file")
}

// Pressure that is not told, for each of the reasons there are.
func TestDoctorPressure(t *testing.T) {
	s := newStage(t)
	s.tools(t, nil)
	none := t.TempDir()
	s.env = shim.With(s.env, shim.PressureVar, "root="+none)
	d := s.doctor(t)
	d.want(t, "kernel/pressure", stateLost, "CONFIG_PSI", "marked")
	if _, told := d.checks["kernel/triggers"]; told {
		t.Error("triggers on nothing are told")
	}
	if d.code != 0 {
		t.Errorf("exit %d", d.code)
	}
}

// A repository of somebody else's, as git sees it.
func TestDoctorDubious(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		needsTool(t, "git")
	}
	s := newStage(t)
	s.git(t, "init", "-q", "-b", "main")
	s.git(t, "commit", "-q", "--allow-empty", "-m", "x")
	d := s.doctor(t)
	d.want(t, "git/lanes", stateOK, "1 lane")
	d.want(t, "workspace/base branch", stateOK, "main at ")
	s.env = append(s.env, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	d = s.doctor(t)
	d.want(t, "git/lanes", stateLost, "another user's", "safe.directory", s.dir)
	if d.code != 0 {
		t.Errorf("exit %d: gates run there, bound to no commit", d.code)
	}
	s.git(t, "config", "extensions.worktreeConfig", "true")
	s.env = shim.Without(s.env, "GIT_TEST_ASSUME_DIFFERENT_OWNER")
	s.doctor(t).want(t, "git/worktreeConfig", stateOK, "HEAD is read by a git process")
}

// Where no leaf can be made, doctor says what a gate's verdict says; and in
// another pid namespace it says that not all is seen.
func TestDoctorContained(t *testing.T) {
	const hide = "mount --make-rprivate / && for m in $(grep -o '/[^ ]* cgroup2 ' /proc/mounts | cut -d' ' -f1); do umount -l $m; done; exec \"$@\""
	in := func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Args = append([]string{"unshare", "-m", "-p", "-f", "--mount-proc", "sh", "-c", hide, "sh", cmd.Path}, cmd.Args[1:]...)
		path, err := exec.LookPath("unshare")
		if err != nil {
			needsTool(t, "unshare")
		}
		cmd.Path = path
		return cmd
	}
	s := newStage(t)
	probe := in(s.command(t, "--version"))
	if code, _, stderr := runCommand(t, probe); code != 0 {
		needsTool(t, "the right to unshare and to mount: "+stderr)
	}
	s.write(t, "gpuci.toml", "[[gate]]\nname = \"g\"\nrun = [\"true\"]\nreader = \"none\"\n")
	_, stdout, _ := runCommand(t, in(s.command(t, "gate", "g", "--json")))
	if !strings.Contains(stdout, `"supervised":"session"`) {
		t.Fatalf("the gate had a leaf: %s", stdout)
	}
	code, stdout, stderr := runCommand(t, in(s.command(t, "doctor")))
	if code != 0 || stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, want := range []string{"lost     cgroup leaf      no cgroup leaf: ", "lost     processes        those outside of this pid namespace"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
}

// Whoever holds a lock and was stopped, or declared void, is named in one line.
func TestDoctorHolders(t *testing.T) {
	s := newStage(t)
	ticket := s.hold(t, buildlock.Who{Lane: "l", Command: "make all"})
	s.doctor(t).want(t, "locks/holders", stateOK, "1 at work", "none stuck")
	if code, _, stderr := s.run(t, "lock", "void", ticket.ID, "--why", "it hangs"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	d := s.doctor(t)
	d.want(t, "locks/holders", stateLost, "declared void", "make all", "gpuci lock status")
	d.want(t, "locks/directory", stateOK, "mode 1777", "named by GPUCI_LOCK_DIR")
}

// From a directory that was removed there is still something to say.
func TestDoctorNowhere(t *testing.T) {
	s := newStage(t)
	cmd := s.command(t, "doctor")
	gone := t.TempDir()
	cmd.Args = []string{"sh", "-c", `rmdir "$2" && exec "$1" doctor`, "sh", cmd.Path, gone}
	cmd.Path, cmd.Dir = "/bin/sh", gone
	code, stdout, _ := runCommand(t, cmd)
	if code != 69 || !strings.Contains(stdout, "get it: cd to a directory that is there") || !strings.Contains(stdout, "\nlocks\n") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}
