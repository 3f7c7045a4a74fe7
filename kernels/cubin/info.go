package cubin

import "encoding/binary"

// Attributes of .nv.info that are read here; the rest is passed over.
const (
	attrMaxThreads  = 0x05
	attrParamBank   = 0x0a
	attrExterns     = 0x0f
	attrReqThreads  = 0x10
	attrFrameSize   = 0x11
	attrMinStack    = 0x12
	attrParam       = 0x17
	attrParamSize   = 0x19
	attrRegCount    = 0x2f
	attrToolkit     = 0x37
	attrCluster     = 0x3d
	attrInClusters  = 0x3e
	attrMaxCluster  = 0x3f
	attrParamV2     = 0x45
	attrSystemCalls = 0x46
	attrNumBarriers = 0x4c
)

// attribute is one record of .nv.info.
type attribute struct {
	id    byte
	value []byte // as long as its format says: 0, 1, 2 bytes, or what its length says
}

// attributes takes the records apart and hands them to each. It reports false
// where the section breaks off or holds a format that is not known: from there on
// nobody can say where the next record begins.
func attributes(data []byte, each func(attribute)) bool {
	for len(data) > 0 {
		if len(data) < 4 {
			return false
		}
		a := attribute{id: data[1]}
		size := 4
		switch data[0] {
		case 1: // says nothing but that it is there
		case 2:
			a.value = data[2:3]
		case 3:
			a.value = data[2:4]
		case 4:
			size += int(binary.LittleEndian.Uint16(data[2:]))
			if size > len(data) {
				return false
			}
			a.value = data[4:size]
		default:
			return false
		}
		each(a)
		data = data[size:]
	}
	return true
}

// pair is a record {symbol, u32} of the global section.
func (a attribute) pair() (symbol, value uint32, ok bool) {
	if len(a.value) != 8 {
		return 0, 0, false
	}
	return binary.LittleEndian.Uint32(a.value), binary.LittleEndian.Uint32(a.value[4:]), true
}

// triple is a record of three u32: a block in x, y and z.
func (a attribute) triple() []int {
	if len(a.value) < 12 {
		return nil
	}
	le := binary.LittleEndian
	return []int{int(le.Uint32(a.value)), int(le.Uint32(a.value[4:])), int(le.Uint32(a.value[8:]))}
}

// numbers is a record of so many u32 as it is long.
func (a attribute) numbers() []int {
	var list []int
	for b := a.value; len(b) >= 4; b = b[4:] {
		list = append(list, int(binary.LittleEndian.Uint32(b)))
	}
	return list
}
