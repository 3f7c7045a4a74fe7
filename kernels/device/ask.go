package device

// ask is one question to the child, a line of JSON.
type ask struct {
	ID      int    `json:"id"`
	Library string `json:"library,omitempty"` // counts in the first one only
	Lists   bool   `json:"lists,omitempty"`   // processes and memory alone: the quick one
	Uses    bool   `json:"uses,omitempty"`    // process samples too
	Since   int64  `json:"since,omitempty"`   // of those: microseconds since 1970
}

// told is the answer, a line of JSON.
type told struct {
	ID     int    `json:"id"`
	Absent string `json:"absent,omitempty"` // why there is no library to ask
	Raw    Raw    `json:"raw"`
}

// driver is what the child asks.
type driver interface {
	look(ask) told
}

// unsupported is what a driver's error is written as that only says that this card
// or this library does not know the question.
const unsupported = "not supported"
