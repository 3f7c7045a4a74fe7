package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gpuci/buildlock"
	"gpuci/gates"
	"gpuci/kernels/device"
	"gpuci/reaper/proc"
)

// askCards bounds each of the two ways to ask a driver, so that both together end
// within groupTime.
const askCards = 4 * time.Second

// checkCards looks at the driver, who is asked about cards, the devices, the cards
// themselves, and the rules that find protected runs.
func (d *doctor) checkCards(ctx context.Context) []check {
	cards := d.app.cards(d.place.config, d.place.lockDir(), d.place.lane)
	defer cards.Close()
	cards.Driver.First, cards.Driver.Ask = askCards, askCards
	survey, err := cards.Survey(ctx, nil)
	if errors.Is(err, device.ErrNoDriver) {
		return append(d.noDriver(), d.checkProtected(ctx, cards, survey)...)
	}
	if err != nil {
		return []check{unsure("cards", err.Error())}
	}
	out := []check{checkDriver(survey.Look), d.checkNVML(ctx, survey.Look), d.checkSMI(survey.Look)}
	out = append(out, checkDevices(deviceFiles()), d.checkCardStates(survey), checkMIG(survey.Look))
	if survey.Look.Silent == "" {
		out = append(out, d.checkPersistence(ctx))
	}
	return append(out, d.checkProtected(ctx, cards, survey)...)
}

// noDriver says what becomes of gates that need a card here.
func (d *doctor) noDriver() []check {
	driver, cards := fine("driver", "there is no card of NVIDIA's here"), fine("cards", "none, and no gate here needs one")
	if by, used := d.uses["nvcc"]; used {
		driver.Value += "; nvcc compiles kernels all the same (" + by + ")"
	}
	if names := d.needCards(); names != "" {
		cards = lost("cards", "none", "refused: gates "+names+" need one", "a machine with a card; in a container, --gpus all")
	}
	return []check{driver, cards}
}

// needCards are the gates that need a card.
func (d *doctor) needCards() string {
	var names []string
	for _, g := range d.place.config.Gates {
		if g.Card.Count > 0 {
			names = append(names, g.Name)
		}
	}
	return strings.Join(names, ", ")
}

// checkCardStates says what the cards are, who is on them, and which gates want
// one.
func (d *doctor) checkCardStates(s gates.Survey) check {
	var list []string
	for _, c := range s.Cards {
		list = append(list, fmt.Sprintf("%s %s, %s", cardName(c.Card), c.Name, c.Status))
	}
	names := d.needCards()
	if len(list) == 0 {
		return lost("cards", "the driver has none", cmp.Or(names, "no gate")+" needs one", "nvidia-smi -L lists what the driver sees")
	}
	text := buildlock.Printable(strings.Join(list, "; "))
	if names != "" {
		text += "; needed by " + names
	}
	return fine("cards", text)
}

// checkMIG says which cards are cut into instances.
func checkMIG(look device.Look) check {
	var on []string
	for _, c := range look.Raw.Cards {
		if c.MIG {
			on = append(on, fmt.Sprintf("card %d is cut into %s", c.Index, count(len(c.Instances), "instance", "instances")))
		}
	}
	if len(on) == 0 {
		return fine("MIG", "off").hidden()
	}
	return fine("MIG", strings.Join(on, "; ")+": each is a card of its own")
}

// checkPersistence says whether the driver keeps its cards awake while nobody is
// on them.
func (d *doctor) checkPersistence(ctx context.Context) check {
	path, err := proc.LookPath(smiName, "/", d.env)
	if err != nil {
		return unsure("persistence", "there is no "+smiName+" to ask")
	}
	a, err := gates.Ask(ctx, askTime, []string{path, "--query-gpu=persistence_mode", "--format=csv,noheader"}, "/", askEnv(d.env))
	switch modes := strings.Fields(a.Text); {
	case err != nil:
		return unsure("persistence", err.Error())
	case a.Failed != "":
		return unsure("persistence", smiName+": "+a.Failed)
	case slices.Contains(modes, "Disabled"):
		return lost("persistence", "off", "a card that nobody is on is put to sleep, and the first look at it, as a gate's first kernel, waits seconds for it", "systemctl enable --now nvidia-persistenced, or nvidia-smi -pm 1 as root")
	case len(modes) > 0 && !slices.ContainsFunc(modes, func(m string) bool { return m != "Enabled" }):
		return fine("persistence", "on").hidden()
	}
	return unsure("persistence", fmt.Sprintf("%s says %.60q", smiName, a.Text))
}
