package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"gpuci/buildlock/shim"
	"gpuci/ci"
	"gpuci/gates"
	"gpuci/gates/config"
)

// unitsFlags are the flags of `gpuci ci units`.
type unitsFlags struct {
	install, user, system, enable, force, cron, json bool
	at, dir, on                                      string
}

func (a *app) unitsCommand() *cobra.Command {
	var f unitsFlags
	cmd := &cobra.Command{
		Use:   "units",
		Short: "print or install what runs gpuci ci nightly every night",
		Long: `units prints a systemd service and a timer for the night of the workspace that we
stand in, or installs them: for you, or with --system for the machine. The service
shares the machine's /tmp and the directory of the locks, runs at low priority, and
has the PATH that you have now. Where there is no systemd, a line for crontab is
printed, and that is said.

--install writes two files and has systemd read them (systemctl daemon-reload);
with --enable it also starts the timer (systemctl enable --now). A file that gpuci
has not written is not overwritten, unless --force is given. Your own timers run
only while you are logged in, unless loginctl enable-linger says otherwise.

Stand in the main lane, or another one that stays: the service works from there.

Examples:
  gpuci ci units
  gpuci ci units --install --enable --at 01:30
  sudo gpuci ci units --install --system -C /srv/dormouse
  gpuci ci units --install --enable --on slurm
  gpuci ci units --cron

Exit codes: 0; 4 outside of git, 64 usage, 69 there is no systemd here, or it did not do as told, 78
configuration, also a file there that is not gpuci's.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.on, err = whereMeant(f.on); err != nil {
				return err
			}
			return a.units(cmd, f)
		},
	}
	s := cmd.Flags()
	s.BoolVar(&f.install, "install", false, "write them where systemd looks, and have it read them")
	s.BoolVar(&f.enable, "enable", false, "with --install: start the timer")
	s.BoolVar(&f.user, "user", false, "for you alone: the default")
	s.BoolVar(&f.system, "system", false, "for the machine; runs as the owner of the workspace")
	s.StringVar(&f.at, "at", "02:00", "the time at which the night begins, `HH:MM`")
	s.StringVar(&f.on, "on", "", onUsage)
	s.StringVar(&f.dir, "dir", "", "with --install: write them into `DIR`, and leave systemd alone")
	s.BoolVar(&f.force, "force", false, "with --install: overwrite files that are not gpuci's")
	s.BoolVar(&f.cron, "cron", false, "print a line for crontab instead")
	s.BoolVar(&f.json, "json", false, "print one JSON line")
	return cmd
}

// check finds what cannot be meant.
func (f unitsFlags) check() error {
	usage := func(text, hint string) error { return coded{gates.ExitUsage, text, hint} }
	switch {
	case f.user && f.system:
		return usage("--user and --system exclude each other", "leave one of the two out")
	case f.cron && f.install:
		return usage("--cron prints a line, and --install is for systemd", "gpuci ci units --cron; crontab -e puts it in")
	case (f.enable || f.force || f.dir != "") && !f.install:
		return usage("--enable, --force and --dir are for --install", "add --install")
	case f.enable && f.dir != "":
		return usage("--enable and --dir exclude each other: systemd does not look into any directory", "leave one of the two out")
	}
	if _, err := config.ParseClock(f.at); err != nil {
		return usage("--at "+err.Error(), "--at 02:00")
	}
	return nil
}

// unitsLine is what was printed or installed, in JSON.
type unitsLine struct {
	Type    string   `json:"type"` // always "units"
	Name    string   `json:"name"`
	Service string   `json:"service"`
	Timer   string   `json:"timer"`
	Cron    string   `json:"cron"`
	Files   []string `json:"files,omitempty"` // that were written
	Enabled bool     `json:"enabled,omitempty"`
}

func (a *app) units(cmd *cobra.Command, f unitsFlags) error {
	a.json = f.json
	if err := f.check(); err != nil {
		return err
	}
	cfg, lane, err := a.workspace(cmd)
	if err != nil {
		return err
	}
	if lane.Root == "" {
		return errNoLanes()
	}
	s, err := f.schedule(cfg)
	if err != nil {
		return err
	}
	if lane.Name != "main" {
		a.console.note("the night works from lane " + lane.Name + ": when that is removed, there is none any more")
	}
	line := unitsLine{Type: "units", Name: s.UnitName(), Service: s.Service(), Timer: s.Timer(), Cron: s.Cron()}
	if f.install {
		if line.Files, err = a.installUnits(cmd.Context(), f, s); err != nil {
			return err
		}
		line.Enabled = f.enable
	}
	if f.json {
		return a.jsonLine(line)
	}
	if !f.cron && !f.install && !hasSystemd() {
		a.console.note("there is no systemd on this machine: this is a line for crontab, which crontab -e takes; --json has the units all the same")
	}
	_, err = io.WriteString(a.out, f.text(line))
	return err
}

// text is the answer for a person.
func (f unitsFlags) text(l unitsLine) string {
	switch {
	case f.cron, !f.install && !hasSystemd():
		return l.Cron
	case f.install:
		text := "wrote " + strings.Join(l.Files, "\nwrote ") + "\n"
		if !f.enable && f.dir == "" {
			text += "next: systemctl " + strings.TrimSpace(f.manager()+" enable --now "+l.Name+".timer") + "\n"
		}
		return text
	}
	return fmt.Sprintf("# %s.service\n%s\n# %s.timer\n%s", l.Name, l.Service, l.Name, l.Timer)
}

func (f unitsFlags) manager() string {
	if f.system {
		return "--system"
	}
	return "--user"
}

// schedule is what is asked for.
func (f unitsFlags) schedule(cfg *config.Config) (ci.Schedule, error) {
	program, err := ownProgram()
	if err != nil {
		return ci.Schedule{}, err
	}
	s := ci.Schedule{Workspace: cfg.Root, Gpuci: program, At: f.at, On: f.on, Env: nightEnv(shim.Bare(ownEnv())), Stop: ci.DefaultStop}
	for _, g := range cfg.Gates {
		s.Stop = max(s.Stop, ci.DefaultStop+g.Grace)
	}
	if f.system {
		if s.User, err = ownerOf(cfg.Root); err != nil {
			return s, err
		}
	}
	if err := s.Check(); err != nil {
		return s, coded{exitUnfit, err.Error(), "move it to a plainer place"}
	}
	return s, nil
}

// ownProgram is gpuci as it is called, by a name that an upgrade keeps where there
// is one.
func ownProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find our own program: %w", err)
	}
	if strings.Contains(self, "/go-build") {
		return "", coded{exitUnfit, "this gpuci is one of go run, which is removed when it ends", "go install ./cmd/gpuci, and use that one"}
	}
	named, err := exec.LookPath("gpuci")
	if err != nil || !filepath.IsAbs(named) {
		return self, nil
	}
	a, errA := os.Stat(named)
	b, errB := os.Stat(self)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return named, nil
	}
	return self, nil
}

// nightNames are the variables that a night needs as they are here: where tools are
// found, and where gpuci has its own things.
var nightNames = [...]string{
	"PATH", "GPUCI_LOCK_DIR", "GPUCI_MACHINE_FILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	"CARGO_HOME", "RUSTUP_HOME", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "SLURM_CONF",
}

func nightEnv(env []string) (out [][2]string) {
	for _, name := range nightNames {
		if value, ok := shim.Lookup(env, name); ok && value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	return out
}

// ownerOf is the user whose directory it is: a night of root's would leave files
// that its owner cannot remove.
func ownerOf(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("find the owner of %s: %w", dir, err)
	}
	uid := strconv.Itoa(os.Getuid())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		uid = strconv.FormatUint(uint64(st.Uid), 10)
	}
	if u, err := user.LookupId(uid); err == nil {
		return u.Username, nil
	}
	return uid, nil
}
