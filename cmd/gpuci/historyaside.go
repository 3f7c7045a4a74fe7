package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"gpuci/gates/history"
)

// asideLine is what one user left in the history that is not believed, in JSON.
type asideLine struct {
	Type string `json:"type"` // always "aside"
	history.Aside
}

// aside tells of results that are never the latest, nor held against: those of
// users who are neither us nor the repository's owner, and of the future.
func (a *app) aside(ctx context.Context, p past, gate string) error {
	list, err := p.store.Aside(ctx, gate)
	if err != nil {
		return unread(err)
	}
	for _, x := range list {
		if p.flags.json {
			err = a.jsonLine(asideLine{"aside", x})
		} else {
			err = asideText(a.out, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func asideText(w io.Writer, x history.Aside) error {
	why := "who is neither you nor the owner of the history"
	if x.Ahead {
		why = "dated in the future: " + x.Last.Local().Format("2006-01-02 15:04")
	}
	_, err := fmt.Fprintf(w, "set aside: %s of uid %d (%s): never the latest, and nothing is held against it\n", count(x.Count, "result", "results"), x.UID, why)
	return err
}

// doubt is what a reader must know of whose a result is.
func (p past) doubt(r history.Result) string {
	switch {
	case p.store.Ahead(r.Started):
		return fmt.Sprintf("dated in the future, by uid %d", r.UID)
	case !p.store.Believes(r.UID, time.Time{}):
		return fmt.Sprintf("uid %d", r.UID)
	}
	return ""
}
