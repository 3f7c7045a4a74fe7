package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gpuci/ci"
	"gpuci/gates"
)

// hasSystemd says whether systemd is what runs this machine (sd_booted(3)).
func hasSystemd() bool {
	_, err := os.Stat("/run/systemd/system")
	return err == nil
}

// installUnits writes the units and has systemd read them.
func (a *app) installUnits(ctx context.Context, f unitsFlags, s ci.Schedule) ([]string, error) {
	dir := f.dir
	if dir == "" && !hasSystemd() {
		return nil, coded{exitUnfit, "there is no systemd on this machine", "gpuci ci units --cron prints a line for crontab"}
	}
	if dir == "" {
		var err error
		if dir, err = f.unitDir(); err != nil {
			return nil, err
		}
	}
	paths, err := s.Install(dir, f.force)
	var foreign *ci.ForeignError
	switch {
	case errors.As(err, &foreign):
		return nil, coded{gates.ExitConfig, err.Error(), "--force overwrites it"}
	case errors.Is(err, fs.ErrPermission):
		return nil, coded{exitUnfit, err.Error(), "--system is for root; --user needs none"}
	case err != nil:
		return nil, err
	case f.dir != "":
		return paths, nil
	}
	if err := a.systemctl(ctx, f, "daemon-reload"); err != nil {
		return paths, err
	}
	if f.enable {
		err = a.systemctl(ctx, f, "enable", "--now", s.UnitName()+".timer")
	}
	return paths, err
}

// unitDir is where systemd looks (systemd.unit(5)).
func (f unitsFlags) unitDir() (string, error) {
	if f.system {
		return "/etc/systemd/system", nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", coded{exitUnfit, "there is no home directory: " + err.Error(), "--dir names where to write the units"}
	}
	return filepath.Join(dir, "systemd", "user"), nil
}

func (a *app) systemctl(ctx context.Context, f unitsFlags, args ...string) error {
	argv := append([]string{f.manager()}, args...)
	a.console.note("systemctl " + strings.Join(argv, " "))
	out, err := exec.CommandContext(ctx, "systemctl", argv...).CombinedOutput()
	if err != nil {
		return coded{exitUnfit, fmt.Sprintf("systemctl %s: %v: %s", args[0], err, strings.TrimSpace(string(out))), "the units are written; run it by hand"}
	}
	return nil
}
