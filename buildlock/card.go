package buildlock

import (
	"fmt"
	"strings"
)

// cardPrefix begins the names of the locks of cards.
const cardPrefix = "card."

// maxCard bounds the UUID of a card: NVML's buffer for one has 96 bytes.
const maxCard = 96

// Card is the lock of one card, named by the UUID that the driver gives it:
// "GPU-…", or "MIG-…" for an instance of one. It is a file name, in which a
// slash of an old MIG name ("MIG-GPU-…/1/0") stands as an underscore.
func Card(uuid string) (Lock, error) {
	bad := func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-./", r)
	}
	if uuid == "" || len(uuid) > maxCard || strings.ContainsRune("./-", rune(uuid[0])) || strings.IndexFunc(uuid, bad) >= 0 {
		return "", fmt.Errorf("the UUID of a card is 1 to %d letters, digits, dots, dashes and slashes: %q is none (gpuci gpu lists the cards)", maxCard, uuid)
	}
	return Lock(cardPrefix + strings.ReplaceAll(uuid, "/", "_")), nil
}

// Card is the UUID of a card's lock, "" for the others.
func (l Lock) Card() string {
	name, ok := strings.CutPrefix(string(l), cardPrefix)
	if !ok {
		return ""
	}
	return strings.ReplaceAll(name, "_", "/")
}

// shortCard is how much of a UUID people need: the letters before the first
// dash and the eight digits after it.
const shortCard = len("GPU-01234567")

// ShortCard shortens the UUID of a card for people: "GPU-01234567…".
func ShortCard(uuid string) string {
	if len(uuid) <= shortCard+4 {
		return uuid
	}
	return uuid[:shortCard] + "…"
}
