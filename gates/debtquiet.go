package gates

import (
	"context"
	"fmt"
	"time"
)

// quietPause is how long a busy machine is left alone before it is looked at again: a
// look takes a second, and a build minutes.
const quietPause = 20 * time.Second

// awaitQuiet waits for the machine, of a debt that is owed because of it, and says why
// it is not to be had.
func (p *payer) awaitQuiet(ctx context.Context, d Debt) string {
	if !p.waits || d.ForCard() {
		return ""
	}
	said := false
	for {
		why := busyNow(ctx, p.o.Root)
		if why == "" || ctx.Err() != nil {
			return ""
		}
		if left := time.Until(p.until); left <= 0 {
			return "the machine is not quiet: " + why
		}
		if !said && p.o.Note != nil {
			p.o.Note(fmt.Sprintf("waiting for a quiet machine, until %s: %s", p.until.Local().Format("15:04"), why))
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(quietPause, time.Until(p.until))):
		}
	}
}
