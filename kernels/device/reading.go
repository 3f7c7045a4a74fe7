package device

import (
	"encoding/json"
	"strconv"
)

// Reading is a number that the driver may not tell. The zero value is not known,
// and is null in JSON.
type Reading struct {
	Value int64
	Known bool
}

// Told is a reading that is known.
func Told[T ~int | ~int32 | ~int64 | ~uint32 | ~uint64](v T) Reading {
	return Reading{Value: int64(v), Known: true}
}

// Or is the value, or another number where it is not known.
func (r Reading) Or(other int64) int64 {
	if r.Known {
		return r.Value
	}
	return other
}

func (r Reading) String() string {
	if !r.Known {
		return "?"
	}
	return strconv.FormatInt(r.Value, 10)
}

// IsZero makes `omitzero` leave out what is not known.
func (r Reading) IsZero() bool { return !r.Known }

// MarshalJSON writes the number, or null.
func (r Reading) MarshalJSON() ([]byte, error) {
	if !r.Known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, r.Value, 10), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Reading) UnmarshalJSON(data []byte) error {
	*r = Reading{}
	if string(data) == "null" {
		return nil
	}
	if err := json.Unmarshal(data, &r.Value); err != nil {
		return err
	}
	r.Known = true
	return nil
}
