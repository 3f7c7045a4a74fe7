package gates

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// text is an element as a person reads it.
func (a array) text(b []byte) string {
	half := len(b)
	if strings.HasPrefix(a.element, "c") {
		half /= 2
	}
	if a.big {
		b = slices.Clone(b)
		for i := 0; i+half <= len(b); i += half {
			slices.Reverse(b[i : i+half])
		}
	}
	if half < len(b) {
		part := map[string]string{"c64": "f32", "c128": "f64"}[a.element]
		im := elementText(b[half:], part)
		if !strings.HasPrefix(im, "-") && !strings.HasPrefix(im, "+") {
			im = "+" + im
		}
		return elementText(b[:half], part) + im + "i"
	}
	return elementText(b, a.element)
}

// elementText is an element as a person reads it; two that differ never look alike.
func elementText(b []byte, element string) string {
	var v float64
	bits := 64
	switch element {
	case "f64":
		v = math.Float64frombits(binary.LittleEndian.Uint64(b))
	case "f32":
		v, bits = float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 32
	case "bf16":
		v, bits = float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b))<<16)), 32
	case "f16":
		v, bits = half(binary.LittleEndian.Uint16(b)), 32
	case "i64", "i32", "i16", "i8":
		return strconv.FormatInt(signed(b), 10)
	case "u64", "u32", "u16", "u8":
		return strconv.FormatUint(unsigned(b), 10)
	case "bool":
		if b[0] <= 1 { // else two that differ would look alike
			return fmt.Sprint(b[0] == 1)
		}
		return fmt.Sprintf("0x%02x", b)
	default:
		return fmt.Sprintf("0x%02x", b)
	}
	if math.IsNaN(v) {
		return fmt.Sprintf("NaN (0x%0*x)", 2*len(b), unsigned(b))
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

func unsigned(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

func signed(b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(unsigned(b)<<shift) >> shift
}

// half is an IEEE 754 binary16.
func half(bits uint16) float64 {
	sign, exp, frac := 1.0, int(bits>>10&0x1f), float64(bits&0x3ff)
	if bits>>15 == 1 {
		sign = -1
	}
	switch exp {
	case 0:
		return math.Copysign(math.Ldexp(frac, -24), sign)
	case 0x1f:
		if frac != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1+frac/1024, exp-15)
}
