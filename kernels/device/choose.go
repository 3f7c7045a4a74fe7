package device

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Need is what a gate needs of cards.
type Need struct {
	Count int    // 0 counts as 1
	VRAM  uint64 // bytes that a card must have at all; 0: any
	SM    int    // compute capability at least, as in 90; 0: any
}

// Choice says which cards may be taken. The zero value allows all.
type Choice struct {
	Set   bool     // false: all, whatever List is
	List  []string // indices, UUIDs or beginnings of UUIDs, in order; empty with Set: none
	Order string   // CUDA_DEVICE_ORDER: PCIOrder, or "" for CUDA's default, FASTEST_FIRST
	From  string   // who says so, for errors: "--gpu", "CUDA_VISIBLE_DEVICES"
}

// PCIOrder is the CUDA_DEVICE_ORDER in which an index is that of NVML and of
// nvidia-smi: that of the PCI addresses.
const PCIOrder = "PCI_BUS_ID"

// ErrNoCard says that no card here can ever serve, however quiet it is.
var ErrNoCard = errors.New("no card here can serve")

// ErrChoice says that who chose the cards chose none that is here, or not clearly:
// another choice may serve. Its errors wrap ErrNoCard too.
var ErrChoice = errors.New("the choice of cards is wrong")

// choiceError is what is wrong with a choice.
type choiceError struct{ text string }

func (e choiceError) Error() string { return ErrNoCard.Error() + ": " + e.text }

func (e choiceError) Is(target error) bool { return target == ErrChoice || target == ErrNoCard }

// ErrSilent says that nobody knows which cards there are: the driver gave no answer.
var ErrSilent = errors.New("the driver gives no answer")

// ParseChoice reads a list as in CUDA_VISIBLE_DEVICES: "0,2", "GPU-1234", "" or
// "-1" for none. Where the list is a person's, order is PCIOrder.
func ParseChoice(text, order, from string) Choice {
	c := Choice{Set: true, Order: order, From: from}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			c.List = append(c.List, item)
		}
	}
	if len(c.List) > 0 && c.List[0] == "-1" {
		c.List = nil
	}
	return c
}

// ChoiceFrom reads CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER of an environment;
// where the first is not there all cards may be taken.
func ChoiceFrom(env []string) Choice {
	var visible, order string
	set := false
	for _, kv := range env {
		switch name, value, _ := strings.Cut(kv, "="); name {
		case "CUDA_VISIBLE_DEVICES":
			visible, set = value, true
		case "CUDA_DEVICE_ORDER":
			order = value
		}
	}
	if !set {
		return Choice{}
	}
	return ParseChoice(visible, order, "CUDA_VISIBLE_DEVICES")
}

// Choose gives all cards that may serve, whatever their State, in the order of the
// choice (else by PCI address): the caller locks need.Count of them. The error wraps
// ErrNoCard where there can be no such, and says of each card why, ErrChoice as well
// where the choice names what is not here or too few of them; and ErrSilent where the
// driver gave no answer.
func Choose(look Look, need Need, choice Choice) ([]Seen, error) {
	if look.Silent != "" {
		return nil, fmt.Errorf("%w: %s", ErrSilent, look.Silent)
	}
	cards, err := choice.pick(look.Cards)
	if err != nil {
		return nil, err
	}
	var fit []Seen
	var why []string
	for _, c := range cards {
		if reason := need.unfit(c); reason != "" {
			why = append(why, c.Label()+": "+reason)
		} else {
			fit = append(fit, c)
		}
	}
	count := max(1, need.Count)
	if len(fit) >= count {
		return fit, nil
	}
	lack := lacking(len(fit), count, len(look.Cards), choice, why)
	if choice.Set && (len(choice.List) < count || need.fits(look.Cards) >= count) {
		return nil, choiceError{lack}
	}
	return nil, fmt.Errorf("%w: %s", ErrNoCard, lack)
}

// lacking says what is missing.
func lacking(fit, count, all int, choice Choice, why []string) string {
	text := fmt.Sprintf("%d needed, %d of %d will do", count, fit, all)
	if choice.Set && len(choice.List) == 0 {
		text += "; " + choice.from() + " names none"
	} else if choice.Set {
		text += "; " + choice.from() + " names " + strings.Join(choice.List, ",")
	}
	if len(why) > 0 {
		text += "; " + strings.Join(why, "; ")
	}
	return text
}

// fits counts the cards that will do.
func (n Need) fits(cards []Seen) (count int) {
	for _, c := range cards {
		if n.unfit(c) == "" {
			count++
		}
	}
	return count
}

// unfit says why a card can never serve. What the driver does not tell is taken for
// too little.
func (n Need) unfit(c Seen) string {
	switch {
	case n.SM > c.SM() && c.SM() == 0:
		return fmt.Sprintf("needs sm_%d, and the driver does not tell what it has", n.SM)
	case n.SM > c.SM():
		return fmt.Sprintf("needs sm_%d, has sm_%d", n.SM, c.SM())
	case n.VRAM > 0 && !c.Memory.Known:
		return "how much memory it has is not told"
	case n.VRAM > uint64(max(0, c.Memory.Value-c.Reserved.Value)):
		return fmt.Sprintf("needs %s, has %s", Size(int64(min(n.VRAM, 1<<62))), Size(max(0, c.Memory.Value-c.Reserved.Value)))
	}
	return ""
}

func (c Choice) from() string { return cmp.Or(c.From, "the choice of cards") }

// pick gives the cards that the choice names, in its order. CUDA ends its list in
// silence at an item that it does not know; here that is an error, for a gate that
// runs on fewer cards than it was given is another gate.
func (c Choice) pick(all []Seen) (cards []Seen, err error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Seen) int { return strings.Compare(strings.ToLower(a.Bus), strings.ToLower(b.Bus)) })
	if !c.Set {
		return all, nil
	}
	for _, item := range c.List {
		card, err := c.one(all, item)
		if err != nil {
			return nil, choiceError{c.from() + ": " + err.Error()}
		}
		if slices.ContainsFunc(cards, func(s Seen) bool { return s.UUID == card.UUID }) {
			return nil, choiceError{fmt.Sprintf("%s: %q names a card twice", c.from(), item)}
		}
		cards = append(cards, card)
	}
	return cards, nil
}

func (c Choice) one(all []Seen, item string) (Seen, error) {
	if n, err := strconv.Atoi(item); err == nil {
		return c.indexed(all, n)
	}
	var found []Seen
	for _, s := range all { // a UUID is a number: its letters may be large or small
		if strings.EqualFold(s.UUID, item) {
			return s, nil
		}
		if strings.HasPrefix(strings.ToLower(s.UUID), strings.ToLower(item)) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Seen{}, fmt.Errorf("no card here is %q (give an index or the beginning of a UUID, as `nvidia-smi -L` prints them)", item)
	}
	return Seen{}, fmt.Errorf("%q is the beginning of %d UUIDs: give more of it", item, len(found))
}

// indexed is the card of an index: that of the PCI order, unless CUDA could mean
// another one. Its default puts the fastest first, by a measure that nobody is told,
// and counts GPUs with instances in its own way.
func (c Choice) indexed(all []Seen, n int) (Seen, error) {
	if slices.ContainsFunc(all, func(s Seen) bool { return s.Parent != "" }) {
		return Seen{}, fmt.Errorf("index %d says nothing on a machine with MIG instances: give a UUID", n)
	}
	mixed := slices.ContainsFunc(all, func(s Seen) bool { return s.Name != all[0].Name })
	if mixed && c.Order != PCIOrder {
		return Seen{}, fmt.Errorf("index %d could be another card for CUDA, which puts the fastest first: give UUIDs, or set CUDA_DEVICE_ORDER=%s", n, PCIOrder)
	}
	if n < 0 || n >= len(all) {
		return Seen{}, fmt.Errorf("there is no card %d, but %d in all, from 0", n, len(all))
	}
	return all[n], nil
}
