package build

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Changed, s.Inode, s.Device = st.Ctim.Nano(), st.Ino, uint64(st.Dev)
	}
	return s
}
