package inputs

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Path is a path in a lane, from its root. Its JSON form keeps every byte: a
// path that is no UTF-8, or begins with a quote, is a quoted Go string there.
type Path string

// MarshalText does not fail.
func (p Path) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(p)) && !strings.HasPrefix(string(p), `"`) {
		return []byte(p), nil
	}
	return []byte(strconv.QuoteToASCII(string(p))), nil
}

// UnmarshalText takes what MarshalText wrote.
func (p *Path) UnmarshalText(text []byte) error {
	if !strings.HasPrefix(string(text), `"`) {
		*p = Path(text)
		return nil
	}
	said, err := strconv.Unquote(string(text))
	if err != nil {
		return fmt.Errorf("read path %s: %w", text, err)
	}
	*p = Path(said)
	return nil
}

// byPath is a map by paths, which encoding/json would write as the strings they
// are, bytes that are no UTF-8 replaced.
type byPath[V any] map[Path]V

func (m byPath[V]) MarshalJSON() ([]byte, error) {
	named := make(map[string]V, len(m))
	for p, v := range m {
		text, _ := p.MarshalText()
		named[string(text)] = v
	}
	return json.Marshal(named)
}

func (m *byPath[V]) UnmarshalJSON(data []byte) error {
	var named map[string]V
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	*m = make(byPath[V], len(named))
	for text, v := range named {
		var p Path
		if err := p.UnmarshalText([]byte(text)); err != nil {
			return err
		}
		(*m)[p] = v
	}
	return nil
}
