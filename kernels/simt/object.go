package simt

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
)

// separate gives what an object defines for others names that end with the source's, so
// that nothing of one source stands in for what another has under the same name: to CUDA
// each source is a program of its own. It also keeps a kernel called write from being
// taken for that of the C library. Symbols are renamed by a new table of names at the
// end of the file; that of the sections' names may be the same, and stays as it was.
func separate(path, source string) error {
	object, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	if file.Class != elf.ELFCLASS64 || file.ByteOrder != binary.LittleEndian {
		return errors.New("read object: is not of a machine with 64 bits, little end first")
	}
	table := file.SectionByType(elf.SHT_SYMTAB)
	if table == nil {
		return errors.New("read object: has no symbols")
	}
	names, err := file.Sections[table.Link].Data()
	if err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	const entry = 24 // Elf64_Sym: name, info, other, section, value, size
	for at := table.Offset; at+entry <= table.Offset+table.FileSize; at += entry {
		symbol := object[at : at+entry]
		bind, section := elf.ST_BIND(symbol[4]), elf.SectionIndex(binary.LittleEndian.Uint16(symbol[6:]))
		if bind == elf.STB_LOCAL || section == elf.SHN_UNDEF {
			continue
		}
		name, _, _ := bytes.Cut(names[binary.LittleEndian.Uint32(symbol):], []byte{0})
		binary.LittleEndian.PutUint32(symbol, uint32(len(names)))
		names = append(append(names, name...), "."+source+"\x00"...)
	}
	// Elf64_Ehdr has the offset of the section headers at 40; Elf64_Shdr, of 64 bytes,
	// the offset at 24 and then the size.
	header := object[binary.LittleEndian.Uint64(object[40:])+64*uint64(table.Link):]
	binary.LittleEndian.PutUint64(header[24:], uint64(len(object)))
	binary.LittleEndian.PutUint64(header[32:], uint64(len(names)))
	return os.WriteFile(path, append(object, names...), 0o666)
}

// dynamicNames are the names by which objects know the dynamic shared memory: all thread
// local variables that they do not define, but those of the runner.
func dynamicNames(objects []string) ([]string, error) {
	var list []string
	seen := map[string]bool{"gpuci_self": true, "gpuci_place": true, "gpuci_dynamic": true}
	for _, path := range objects {
		file, err := elf.Open(path)
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		symbols, err := file.Symbols()
		file.Close()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		for _, s := range symbols {
			tls := elf.ST_TYPE(s.Info) == elf.STT_TLS && s.Section == elf.SHN_UNDEF
			if tls && !seen[s.Name] && !strings.HasPrefix(s.Name, "_ZTH") {
				seen[s.Name] = true
				list = append(list, s.Name)
			}
		}
	}
	return list, nil
}
