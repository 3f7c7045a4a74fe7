package lint

import (
	"path"
	"slices"
	"strings"
)

// harmless are commands whose failure says nothing about what a gate checks: they set
// up, print and tidy. What is not among them is taken for a check.
func harmless(name string) bool {
	const known = ` [ [[ : . source alias apt apt-get awk basename bg break builtin cat cd chmod chown clear column command continue cp cut date
 declare df dirname disown echo egrep env expr export false fg fgrep file find free git grep gunzip gzip hash head hexdump hostname id
 install jobs kill less let ln local locale ls lsblk lscpu lspci mapfile md5sum mkdir mkfifo mktemp more mv nproc numactl nvidia-smi od
 paste pgrep pkill popd printenv printf ps pushd pwd read readarray readlink readonly realpath return exit rev rm rmdir sed seq set
 sha256sum shift shopt sleep sort split stat stdbuf stty sync tail tar tee test times touch tput tr trap true truncate ts tty type
 ulimit umask unalias uname uniq unset unxz unzip uptime wait wc wget whereis which who whoami xargs xxd xz yes zip zstd curl module
 sudo nohup dmesg lsof ldd nm objdump readelf strings size killall tree du jq ssh-agent eval comm nl
 die fail fatal usage err error warn warning info log say note debug trace `
	return strings.Contains(strings.Join(strings.Fields(known), " ")+" ", name+" ") && slices.Contains(strings.Fields(known), name)
}

// wrapper is a program that runs the command that its arguments name: how many arguments
// that are no options come before it, and which options take a word.
type wrapper struct {
	skip   int
	valued string
	words  string // that make it one, behind the name: uv run
}

func wrapperOf(words []string) (w wrapper, ok bool) {
	switch path.Base(words[0]) {
	case "env":
		return wrapper{valued: "-u -C --unset --chdir"}, true
	case "nice", "ionice":
		return wrapper{valued: "-n -c -p --adjustment --class --classdata"}, true
	case "stdbuf":
		return wrapper{valued: "-i -o -e"}, true
	case "sudo":
		return wrapper{valued: "-u -g -C -D -h -p -r -t -U"}, true
	case "time":
		return wrapper{valued: "-f -o --format --output"}, true
	case "nohup", "command", "exec", "setsid", "unbuffer", "builtin", "xvfb-run", "catchsegv":
		return wrapper{valued: "-a"}, true // exec -a NAME
	case "timeout":
		return wrapper{skip: 1, valued: "-k -s --kill-after --signal"}, true
	case "numactl":
		return wrapper{valued: "-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred"}, true
	case "nsys":
		return wrapper{words: "profile", valued: "-o -t -f -s -c -d -y -w -e --output --trace --force-overwrite --sample --capture-range --duration --delay --stats --cpuctxsw --kill --show-output --env-var"}, true
	case "ncu", "nvprof", "compute-sanitizer", "cuda-memcheck", "valgrind", "strace", "ltrace":
		return wrapper{valued: "-o -k -c -s -e -f --export --kernel-name --launch-count --launch-skip --set --section --metrics --tool --log-file --target-processes --print-limit --error-exitcode"}, true
	case "perf":
		return wrapper{words: "stat", valued: "-e -o -r -x -C --event --output --repeat --cpu"}, true
	case "mpirun", "mpiexec":
		return wrapper{valued: "-n -np -N -H -x --np --host --hostfile --map-by --bind-to"}, true
	case "gpuci":
		if slices.Contains(words, "--") {
			return wrapper{words: "build"}, true
		}
	case "taskset", "chrt":
		return wrapper{skip: 1, valued: "-T -P -D"}, true
	case "flock":
		return wrapper{skip: 1, valued: "-w -E --timeout --conflict-exit-code"}, true
	case "xargs":
		return wrapper{valued: "-n -P -I -d -a -L -s -E --max-args --max-procs --replace --delimiter --arg-file --max-lines"}, true
	case "uv", "poetry", "pdm", "pipenv", "hatch", "rye":
		return wrapper{words: "run", valued: "--with --python -p --extra --group --package --project --directory --env-file -e"}, true
	case "coverage":
		return wrapper{words: "run", valued: "--source --include --omit --rcfile --data-file --context"}, true
	}
	return wrapper{}, false
}

// unwrap takes the wrappers off a command: env A=b timeout 5 cargo test is cargo test.
// A word that is not known is "".
func unwrap(words []string) []string {
	for len(words) > 1 {
		w, ok := wrapperOf(words)
		if !ok || words[0] == "command" && strings.HasPrefix(strings.ToLower(words[1]), "-v") { // that asks whether it is there
			break
		}
		inner := w.unwrap(words[1:])
		if len(inner) == 0 {
			return words
		}
		if words[0] == "coverage" && inner[0] == "-m" {
			inner = append([]string{"python"}, inner...)
		}
		words = inner
	}
	return words
}

func (w wrapper) unwrap(rest []string) []string {
	if w.words != "" {
		if rest[0] != w.words {
			return nil
		}
		rest = rest[1:]
	}
	skip := w.skip
	for len(rest) > 0 {
		word := rest[0]
		switch {
		case word == "--":
			return rest[min(1+skip, len(rest)):]
		case w.words != "" && word == "-m":
			return rest
		case strings.HasPrefix(word, "-") && slices.Contains(strings.Fields(w.valued), word):
			rest = rest[min(2, len(rest)):]
			continue
		case strings.HasPrefix(word, "-"):
		case skip == 0 && (!strings.Contains(word, "=") || strings.Contains(word[:strings.IndexByte(word, '=')], "/")):
			return rest
		case !strings.Contains(word, "="):
			skip--
		}
		rest = rest[1:]
	}
	return nil
}

// checks says whether the failure of a command matters.
func checks(words []string) bool {
	words = unwrap(words)
	if len(words) == 0 {
		return false
	}
	for _, w := range words[1:] {
		if w == "--version" || w == "-V" || w == "--help" || w == "-version" {
			return false
		}
	}
	name := words[0]
	if strings.Contains(name, "/") && !strings.HasPrefix(name, "/bin/") && !strings.HasPrefix(name, "/usr/bin/") {
		return true
	}
	switch name = path.Base(name); {
	case name == "wait": // for a process: its status is the process's
		return len(words) > 1
	case name == "cargo" || name == "go" || name == "rustup":
		if len(words) > 1 && slices.Contains([]string{"metadata", "env", "list", "clean", "fetch", "show", "tree", "locate-project", "update", "version"}, words[1]) {
			return false
		}
	case harmless(name):
		return false
	}
	return true
}

// own says whether a command runs what is of the workspace: a script or a program by its
// path, or a test command.
func own(words []string) bool {
	words = unwrap(words)
	if len(words) == 0 || !checks(words) {
		return false
	}
	name := words[0]
	switch {
	case runner(words), name == "wait":
		return true
	case strings.Contains(name, "/"):
		return !slices.ContainsFunc([]string{"/usr/", "/opt/", "/sbin/", "/etc/", "/dev/", "/proc/"}, func(p string) bool { return strings.HasPrefix(name, p) })
	case (path.Base(name) == "cargo" || path.Base(name) == "go") && len(words) > 1:
		return words[1] == "run"
	case isShell(name), strings.HasPrefix(name, "python"):
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") {
				return strings.Contains(w, "/") || strings.HasSuffix(w, ".py") || strings.HasSuffix(w, ".sh")
			}
			if w == "-c" || w == "-m" {
				return false
			}
		}
	}
	return false
}

// runner says whether a command runs tests: that its failure is lost cannot be meant.
func runner(words []string) bool {
	words = unwrap(words)
	if len(words) == 0 {
		return false
	}
	has := func(list ...string) bool {
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-") || strings.HasPrefix(w, "+") {
				continue
			}
			return slices.Contains(list, w)
		}
		return false
	}
	switch name := path.Base(words[0]); {
	case name == "cargo":
		return has("test", "t", "nextest")
	case name == "go":
		return has("test", "vet")
	case name == "pytest", name == "py.test", name == "ctest", name == "tox", name == "nosetests":
		return true
	case name == "make", name == "gmake", name == "ninja", name == "npm", name == "yarn", name == "bazel", name == "meson":
		return has("check", "test", "tests")
	case strings.HasPrefix(name, "python"):
		return len(words) > 2 && words[1] == "-m" && (words[2] == "pytest" || words[2] == "unittest")
	}
	return false
}
