package kda

// Tensor is a dense row-major array of four dimensions: [B,H,T,K], [B,H,T,V]
// or [B,H,K,V].
type Tensor struct {
	Dims [4]int
	Data []float64 // one value for each element, last dimension fastest
}

// NewTensor returns a tensor of zeros.
func NewTensor(dims [4]int) Tensor {
	return Tensor{Dims: dims, Data: make([]float64, count(dims))}
}

// Place turns an offset into Data into the four indices of the element.
func (t Tensor) Place(offset int) [4]int {
	var place [4]int
	for i := len(place) - 1; i >= 0; i-- {
		place[i] = offset % t.Dims[i]
		offset /= t.Dims[i]
	}
	return place
}

// head is the matrix of one head, sharing memory with the tensor.
func (t Tensor) head(i int) Matrix {
	rows, cols := t.Dims[2], t.Dims[3]
	size := rows * cols
	return Matrix{Rows: rows, Cols: cols, Data: t.Data[i*size : (i+1)*size]}
}

// largest is the largest magnitude in the tensor, 0 when it is empty.
func (t Tensor) largest() float64 {
	top := 0.0
	for _, x := range t.Data {
		top = max(top, abs(x))
	}
	return top
}

func count(dims [4]int) int {
	return dims[0] * dims[1] * dims[2] * dims[3]
}
