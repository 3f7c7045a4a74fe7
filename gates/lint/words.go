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
 sudo nohup dmesg lsof killall tree du jq ssh-agent eval comm nl
 die fail fatal usage err error warn warning info log say note debug trace `
	return strings.Contains(strings.Join(strings.Fields(known), " ")+" ", name+" ") && slices.Contains(strings.Fields(known), name)
}

// wrappers run the command that their arguments name; the value is how many arguments
// that are no options come before it.
func wrapper(name string) (skip int, ok bool) {
	switch name {
	case "env", "time", "nice", "nohup", "stdbuf", "command", "exec", "sudo", "setsid", "ionice", "chrt", "unbuffer", "builtin", "xvfb-run", "catchsegv":
		return 0, true
	case "timeout", "taskset", "flock":
		return 1, true
	}
	return 0, false
}

// unwrap takes the wrappers off a command: env A=b timeout 5 cargo test is cargo test.
// A word that is not known is "".
func unwrap(words []string) []string {
	for len(words) > 1 {
		skip, ok := wrapper(path.Base(words[0]))
		if !ok {
			break
		}
		rest := words[1:]
		for len(rest) > 0 && (strings.HasPrefix(rest[0], "-") || strings.Contains(rest[0], "=") && !strings.Contains(rest[0], "/") || skip > 0) {
			if !strings.HasPrefix(rest[0], "-") && !strings.Contains(rest[0], "=") {
				skip--
			}
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return words
		}
		words = rest
	}
	return words
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
	case name == "cargo" || name == "go" || name == "rustup":
		if len(words) > 1 && slices.Contains([]string{"metadata", "env", "list", "clean", "fetch", "show", "tree", "locate-project", "update", "version"}, words[1]) {
			return false
		}
	case harmless(name):
		return false
	}
	return true
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
