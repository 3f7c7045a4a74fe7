package shim

import (
	"os"
	"strings"
	"syscall"
)

// ask asks a clang that executed us for the linker it would have executed: it
// looks for names with the target in front, beside the path it was called by,
// and in places that it was built with. It costs a start of clang, which only
// a link pays that clang made past our own clang.
func (s *search) ask(clang, name string, env []string) string {
	data, err := os.ReadFile("/proc/" + itoa(os.Getppid()) + "/cmdline")
	if err != nil || len(data) == 0 {
		return ""
	}
	called := strings.Split(strings.TrimSuffix(string(data), "\x00"), "\x00")
	argv := append(append(called[:1:1], placing(called[1:])...), "-print-prog-name="+name)
	path := strings.TrimSpace(outputOf(clang, argv, stripped(stripped(env, "PATH"), "COMPILER_PATH")))
	if !strings.HasPrefix(path, "/") || executable(path) != nil || IsShims(path[:strings.LastIndexByte(path, '/')]) || !s.real(path) {
		return ""
	}
	return path
}

// placing picks the options that say where a clang looks for its tools.
func placing(args []string) (out []string) {
	for i, a := range args {
		switch {
		case a == "-target" && i+1 < len(args):
			out = append(out, a, args[i+1])
		case a == "-m32", a == "-m64", a == "-mx32":
			out = append(out, a)
		}
		for _, p := range []string{"--target=", "--gcc-toolchain=", "--sysroot=", "-B", "--config"} {
			if strings.HasPrefix(a, p) {
				out = append(out, a)
			}
		}
	}
	return out
}

// outputOf is what a program writes to its standard output, "" when it fails.
func outputOf(path string, argv, env []string) string {
	r, w, err := os.Pipe()
	if err != nil {
		return ""
	}
	defer r.Close()
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		_ = w.Close()
		return ""
	}
	defer null.Close()
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Env: env, Files: []uintptr{null.Fd(), w.Fd(), null.Fd()}})
	_ = w.Close()
	if err != nil {
		return ""
	}
	buf := make([]byte, 4096)
	n := 0
	for n < len(buf) {
		got, err := r.Read(buf[n:])
		n += got
		if err != nil {
			break
		}
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil || status.ExitStatus() != 0 {
		return ""
	}
	return string(buf[:n])
}
