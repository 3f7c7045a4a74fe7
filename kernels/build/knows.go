package build

import (
	"bytes"
	"context"
	"strings"
	"time"
)

// unknownArch is what nvcc says of an architecture that it does not know.
const unknownArch = "nsupported gpu architecture"

// knowsTime is how long nvcc may take to say what it knows, which takes it 10 ms.
const knowsTime = 10 * time.Second

// knows is a line with the architectures that this compiler knows, where it refused one:
// it does not say so by itself.
func (b *builder) knows(ctx context.Context, said string) string {
	if !strings.Contains(said, unknownArch) {
		return ""
	}
	b.knowing.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, knowsTime)
		defer cancel()
		var all []string
		for _, question := range []string{"--list-gpu-code", "--list-gpu-arch"} {
			var out bytes.Buffer
			if err := b.o.Exec(ctx, b.command("", []string{question}, &out)); err != nil {
				return
			}
			for _, w := range strings.Fields(out.String()) {
				if archName.MatchString(w) {
					all = append(all, w)
				}
			}
		}
		if len(all) > 0 {
			b.known = "nvcc " + b.o.Compiler.Version + " knows " + strings.Join(all, ", ") + ": name one of these in arch, or take another nvcc\n"
		}
	})
	return b.known
}
