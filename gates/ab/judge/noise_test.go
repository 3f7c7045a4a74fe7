package judge

import (
	"bufio"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// noise is what a machine adds to the logarithm of a run's time, run by run.
type noise func() float64

// neighbours is a machine that others use: a load that wanders and is remembered
// for some thirty runs (AR(1)), bursts that come and go and only ever make a run
// slower, some of them much, a day that goes by, and a machine that gets warm.
func neighbours(coins *rand.Rand) noise {
	var load, run float64
	var burst bool
	phase, warm := 2*math.Pi*coins.Float64(), 0.1*coins.Float64()
	return func() float64 {
		run++
		load = 0.97*load + 0.012*coins.NormFloat64()
		if burst {
			burst = coins.Float64() > 1.0/30
		} else {
			burst = coins.Float64() < 1.0/100
		}
		v := 0.01*coins.NormFloat64() + math.Abs(load) + 0.05*math.Sin(phase+run/300) + warm*(1-math.Exp(-run/200))
		if burst && coins.Float64() < 0.6 {
			v += 0.6 * coins.ExpFloat64()
		}
		return v
	}
}

// recorded plays wall times of 4000 runs of one program, one after the other, on a
// box of two cores while eight others built on it, from anywhere on.
func recorded(t *testing.T) func(*rand.Rand) noise {
	t.Helper()
	f, err := os.Open("testdata/neighbours.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var logs []float64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		v, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, math.Log(v))
	}
	if len(logs) < 4000 {
		t.Fatalf("%d runs are recorded", len(logs))
	}
	return func(coins *rand.Rand) noise {
		at := coins.IntN(len(logs))
		return func() float64 {
			at = (at + 1) % len(logs)
			return logs[at]
		}
	}
}

// rhythm is a job of somebody's that comes each time the same run of a round does.
func rhythm(coins *rand.Rand) noise {
	run, phase := 0, coins.IntN(Slots)
	return func() float64 {
		run++
		if run%Slots == phase {
			return 0.3 + 0.02*coins.NormFloat64()
		}
		return 0.02 * coins.NormFloat64()
	}
}

// walk is a machine that gets slower by itself, now and then by a jump.
func walk(coins *rand.Rand) noise {
	var at float64
	return func() float64 {
		at += 0.002 + 0.02*coins.NormFloat64()
		if coins.IntN(100) == 0 {
			at += 0.5 * coins.NormFloat64()
		}
		return at
	}
}

// clocks is a machine with two speeds, a quarter apart, each for a while.
func clocks(coins *rand.Rand) noise {
	var slow bool
	return func() float64 {
		if coins.IntN(8) == 0 {
			slow = !slow
		}
		v := 0.005 * coins.NormFloat64()
		if slow {
			v += 0.22
		}
		return v
	}
}

// wild has outliers without a mean.
func wild(coins *rand.Rand) noise {
	return func() float64 {
		return 0.02 * math.Min(500, math.Abs(math.Tan(math.Pi*(coins.Float64()-0.5))))
	}
}

// machines are all of them.
func machines(t *testing.T) map[string]func(*rand.Rand) noise {
	return map[string]func(*rand.Rand) noise{
		"neighbours": neighbours, "recorded": recorded(t), "rhythm": rhythm,
		"walk": walk, "clocks": clocks, "wild": wild,
	}
}
