package verify

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gpuci/kernels/kda"
)

// tensors is a safetensors file (huggingface/safetensors describes the format: the
// length of a JSON header, the header, the data), as far as a fixture needs it: float32
// and float64, four dimensions. Package gates/fixtures reads all of the format.
type tensors struct {
	header map[string]tensorHead
	data   []byte
}

type tensorHead struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets []int  `json:"data_offsets"` // from, to: bytes
}

func parseTensors(file []byte) (*tensors, error) {
	const length = 8 // bytes of the header's length
	if len(file) < length {
		return nil, errors.New("it ends before its header does")
	}
	n := binary.LittleEndian.Uint64(file)
	rest := file[length:]
	if n > uint64(len(rest)) {
		return nil, errors.New("it ends before its header does")
	}
	t := &tensors{data: rest[n:]}
	if err := json.Unmarshal(rest[:n], &t.header); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	return t, nil
}

// fill copies the numbers of one tensor, which must have the dimensions of x.
func (t *tensors) fill(name string, x *kda.Tensor) error {
	h, ok := t.header[name]
	if !ok {
		return fmt.Errorf("it has no tensor %q", name)
	}
	width := map[string]int{"F32": 4, "F64": 8}[h.Type]
	if width == 0 {
		return fmt.Errorf("tensor %q is of type %q; F32 and F64 are read", name, h.Type)
	}
	if len(h.Shape) != len(x.Dims) || [4]int(h.Shape) != x.Dims {
		return fmt.Errorf("tensor %q is %v; the manifest's shape makes it %v", name, h.Shape, x.Dims)
	}
	if len(h.Offsets) != 2 || h.Offsets[0] < 0 || h.Offsets[1] > len(t.data) || h.Offsets[1]-h.Offsets[0] != width*len(x.Data) {
		return fmt.Errorf("tensor %q of %d elements would be bytes %v of %d", name, len(x.Data), h.Offsets, len(t.data))
	}
	from := t.data[h.Offsets[0]:]
	for i := range x.Data {
		if width == 4 {
			x.Data[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:])))
		} else {
			x.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
		}
	}
	return nil
}
