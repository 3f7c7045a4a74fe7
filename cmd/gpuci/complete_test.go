package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gpuci/buildlock/shim"
	"gpuci/worktrees"
)

const twoGates = `
[[gate]]
name = "zz-alpha"
about = "the first one"
run = ["true"]
reader = "none"
[[gate]]
name = "yy-beta"
run = ["true"]
reader = "none"
  [[gate.metric]]
  metric = "step-ms"
  pattern = 'step (?P<value>\S+)'
  [[gate.bar]]
  metric = "worst-rel"
  pattern = 'rel (?P<value>\S+)'
  max = 1.0
`

// completes gives what gpuci completes, without descriptions, and whether the
// shell adds files.
func (s stage) completes(t *testing.T, words ...string) (list []string, files bool) {
	t.Helper()
	code, stdout, _ := s.run(t, append([]string{"__completeNoDesc"}, words...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || !strings.HasPrefix(lines[len(lines)-1], ":") {
		t.Fatalf("%q: exit %d, %s", words, code, stdout)
	}
	return lines[:len(lines)-1], lines[len(lines)-1] == ":0"
}

func TestComplete(t *testing.T) {
	s := newStage(t)
	s.git(t, "init", "-q", "-b", "main")
	s.git(t, "commit", "-q", "--allow-empty", "-m", "x")
	s.git(t, "worktree", "add", "-q", "../other")
	s.write(t, "gpuci.toml", twoGates)
	elsewhere := s
	elsewhere.dir = filepath.Join(filepath.Dir(s.dir), "home")
	scratch := s.scratchOf(t)
	s.git(t, "branch", "release")
	lanes := []string{"main", "other"}
	for _, c := range []struct {
		at    stage
		words string
		want  []string
		files bool
	}{
		{s, "gate ", []string{"zz-alpha", "yy-beta"}, false},
		{s, "gate zz-alpha ", []string{"yy-beta"}, false},
		{s, "history export --gate ", []string{"zz-alpha", "yy-beta"}, false},
		{s, "history export --gate y", []string{"yy-beta"}, false},
		{s, "history --metric ", []string{"step-ms", "worst-rel"}, false},
		{s, "history yy-beta --metric w", []string{"worst-rel"}, false},
		{s, "history zz-alpha --metric ", []string{}, false},
		{elsewhere, "history --metric ", []string{}, false},
		{s, "gate z", []string{"zz-alpha"}, false},
		{s, "gate zz-alpha -- ", nil, true},
		{s, "gate zz-alpha -- a ", nil, true},
		{elsewhere, "gate ", nil, false},
		{elsewhere, "-C " + s.dir + " gate ", []string{"zz-alpha", "yy-beta"}, false},
		{elsewhere, "gate -C " + s.dir + " y", []string{"yy-beta"}, false},
		{s, "reaper sweep --lane ", lanes, false},
		{s, "reaper list --lane o", []string{"other"}, false},
		{elsewhere, "reaper list --lane ", nil, false},
		{s, "ci run --lane ", lanes, false},
		{s, "ci run z", []string{"zz-alpha"}, false},
		{s, "ci run zz-alpha ", []string{"yy-beta"}, false},
		{s, "ci run --branch ", []string{"main", "other", "release"}, false},
		{s, "worktrees --base r", []string{"release"}, false},
		{s, "worktrees land --onto o", []string{"other"}, false},
		{s, "worktrees land ", lanes, false},
		{elsewhere, "ci run --branch ", nil, false},
		{s, "config ", nil, false},
		{s, "doctor ", nil, false},
		{s, "build ", nil, true},
		{s, "lock run ", nil, true},
		{s, "lock void --why ", nil, false},
		{s, "pressure plot last -o ", nil, true},
		{s, "--color ", []string{"auto", "always", "never"}, false},
		{s, "completion ", []string{"bash", "zsh", "fish", "powershell"}, false},
	} {
		got, files := c.at.completes(t, strings.Split(c.words, " ")...)
		if files != c.files || !slices.Equal(got, c.want) && len(got)+len(c.want) > 0 {
			t.Errorf("%q: %q, files %v; want %q, %v", c.words, got, files, c.want, c.files)
		}
	}
	if !isDir(scratch) {
		t.Errorf("the scratch lane %s is gone", scratch)
	}
	before := listing(t, filepath.Dir(s.dir))
	s.write(t, "../other/gpuci.toml", twoGates+"nonsense = 1\n")
	broken := s
	broken.dir = filepath.Join(filepath.Dir(s.dir), "other")
	if got, files := broken.completes(t, "gate", ""); len(got) > 0 || files {
		t.Errorf("with a wrong gpuci.toml: %q, %v", got, files)
	}
	if err := os.Remove(filepath.Join(broken.dir, "gpuci.toml")); err != nil {
		t.Fatal(err)
	}
	for i, line := range listing(t, filepath.Dir(s.dir)) { // the directory of the removed file has changed, by us
		if i < len(before) && line != before[i] && !strings.HasPrefix(line, broken.dir+" ") {
			t.Errorf("completing changed %s", line)
		}
	}
}

// scratchOf makes a scratch lane of a repository, and gives its directory.
func (s stage) scratchOf(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	from, err := worktrees.Find(ctx, s.dir)
	if err != nil {
		t.Fatal(err)
	}
	scratch, err := worktrees.NewScratch(ctx, from, worktrees.ScratchOptions{Dir: filepath.Join(t.TempDir(), "scratch"), For: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scratch.Remove(context.Background()) })
	return scratch.Root
}

// A git that hangs keeps nobody waiting who has pressed Tab.
func TestCompleteHangingGit(t *testing.T) {
	s := newStage(t)
	s.git(t, "init", "-q")
	pid := filepath.Join(s.dir, "pid")
	s.tools(t, map[string]string{"git": "#!/bin/sh\necho $$ >" + pid + "\nexec /bin/sleep 1000\n"})
	if got, files := s.completes(t, "reaper", "list", "--lane", ""); len(got) > 0 || files {
		t.Errorf("%q, %v", got, files)
	}
}

// No command and no flag is left to the shell's files by oversight.
func TestCompleteCoversAll(t *testing.T) {
	files := map[string]bool{"gpuci build": true, "gpuci lock run": true, "gpuci gpu hold": true, "gpuci history check": true, "gpuci kernels inspect": true, "gpuci kernels diff": true, "gpuci trace": true}
	root := (&app{}).root()
	seen := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		seen++
		if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 {
			t.Errorf("%s: its words are left to the shell", cmd.CommandPath())
		}
		if cmd.ValidArgsFunction != nil && len(cmd.ValidArgs) == 0 && cmd.Name() != "gate" && cmd.Name() != "history" && cmd.Name() != "help" {
			if _, d := cmd.ValidArgsFunction(cmd, nil, ""); (d == cobra.ShellCompDirectiveDefault) != files[cmd.CommandPath()] {
				t.Errorf("%s: completes files: %v", cmd.CommandPath(), !files[cmd.CommandPath()])
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok && f.NoOptDefVal == "" && f.Name != "directory" {
				t.Errorf("%s --%s: its value is left to the shell", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	if seen < 15 {
		t.Errorf("%d commands were seen", seen)
	}
}

// Real shells, with a person's Tab: the gates of this lane are completed.
func TestCompleteInShells(t *testing.T) {
	for _, c := range []struct {
		shell []string
		lines []string // what is typed before
	}{
		{[]string{"bash", "--norc", "--noprofile", "-i"}, []string{"source <(gpuci completion bash)"}},
		{[]string{"zsh", "-f", "-i"}, []string{"autoload -Uz compinit && compinit -u -D", "source <(gpuci completion zsh)"}},
		{[]string{"fish", "--no-config", "-i"}, []string{"gpuci completion fish | source"}},
	} {
		t.Run(c.shell[0], func(t *testing.T) {
			path, err := exec.LookPath(c.shell[0])
			if err != nil {
				needsTool(t, c.shell[0])
			}
			s := newStage(t)
			s.write(t, "gpuci.toml", twoGates)
			cmd := s.command(t)
			s.env = shim.With(s.env, "PATH", filepath.Dir(cmd.Path)+":"+os.Getenv("PATH"))
			sh := exec.Command(path, c.shell[1:]...)
			sh.Dir, sh.Env = s.dir, append(s.env, "TERM=xterm", "PS1=ready> ")
			at := typist(t, sh)
			for i, line := range c.lines {
				// The quotes keep what is typed from being what is waited for.
				at.types(line + "; echo don''e" + string(rune('0'+i)) + "\r")
				at.hears(t, "done"+string(rune('0'+i)))
			}
			at.types("gpuci gate zz\t")
			at.hears(t, "zz-alpha")
		})
	}
}

// terminalOf is a shell on a terminal, and what it has written.
type terminalOf struct {
	file *os.File
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func typist(t *testing.T, cmd *exec.Cmd) *terminalOf {
	t.Helper()
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	at := &terminalOf{file: file, more: make(chan struct{}, 1)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		buf := make([]byte, 4096)
		for {
			n, err := file.Read(buf)
			if err != nil {
				return
			}
			at.mu.Lock()
			at.text.Write(buf[:n])
			at.mu.Unlock()
			select {
			case at.more <- struct{}{}:
			default:
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = file.Close()
		<-over
	})
	return at
}

func (at *terminalOf) types(text string) { _, _ = at.file.WriteString(text) }

// hears waits until the shell has written something.
func (at *terminalOf) hears(t *testing.T, want string) {
	t.Helper()
	late := time.After(longest)
	for {
		at.mu.Lock()
		text := at.text.String()
		at.mu.Unlock()
		if strings.Contains(text, want) {
			return
		}
		select {
		case <-at.more:
		case <-late:
			t.Fatalf("%q was not written, but\n%q", want, text)
		}
	}
}
