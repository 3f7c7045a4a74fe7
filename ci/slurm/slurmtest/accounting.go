package slurmtest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
)

// startMunge starts what proves to Slurm's daemons who asks them.
func (r *Rig) startMunge(ctx context.Context) error {
	at := func(name string) string { return filepath.Join(r.dir, name) }
	err := r.daemon("munged", "--foreground", "--force", "--num-threads=2", "--socket="+at("munge.sock"), "--key-file="+at("munge.key"),
		"--pid-file="+at("munged.pid"), "--log-file="+at("log/munged.file"), "--seed-file="+at("munge.seed"))
	if err != nil {
		return err
	}
	return r.until(ctx, "munged answers", func() bool { return listens("unix", at("munge.sock")) })
}

func listens(network, address string) bool {
	c, err := net.Dial(network, address)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

// startAccounting starts a database with nobody's data, and slurmdbd upon it.
func (r *Rig) startAccounting(ctx context.Context) error {
	data, me := filepath.Join(r.dir, "db"), userName()
	install := exec.CommandContext(ctx, r.bin["mariadb-install-db"], "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal",
		"--skip-test-db", "--skip-name-resolve", "--user="+me)
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("mariadb-install-db: %w: %s", err, out)
	}
	err := r.daemon("mariadbd", "--no-defaults", "--datadir="+data, "--socket="+filepath.Join(r.dir, "db.sock"), "--port="+strconv.Itoa(r.ports.db),
		"--bind-address=127.0.0.1", "--user="+me, "--skip-grant-tables", "--innodb-buffer-pool-size=32M", "--innodb-log-file-size=16M",
		"--innodb-flush-log-at-trx-commit=0", "--pid-file="+filepath.Join(r.dir, "db.pid"))
	if err != nil {
		return err
	}
	local := func(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
	if err := r.until(ctx, "MariaDB listens", func() bool { return listens("tcp", local(r.ports.db)) }); err != nil {
		return err
	}
	if err := r.StartAccounting(); err != nil {
		return err
	}
	if err := r.until(ctx, "slurmdbd listens", func() bool { return listens("tcp", local(r.ports.dbd)) }); err != nil {
		return err
	}
	if out, err := r.Command(ctx, "sacctmgr", "--immediate", "add", "cluster", "gpuci").CombinedOutput(); err != nil {
		return fmt.Errorf("sacctmgr add cluster: %w: %s", err, out)
	}
	return nil
}

// StartAccounting starts slurmdbd.
func (r *Rig) StartAccounting() error { return r.daemon("slurmdbd", "-D") }

// userName is who runs the daemons: whoever runs the test.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return "root"
	}
	return u.Username
}
