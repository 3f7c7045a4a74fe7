// Package judge says whether an arm of a comparison is better than its control:
// win, worse, tie, or cannot say and how many samples it would take. It is pure: it
// starts nothing, reads no clock and no file.
//
// # Why the usual test will not do
//
// The machines it is for are shared. What else runs on them comes and goes within
// seconds, always makes a run slower and never faster, and a run beside a slow one
// is slow too. Samples of such a machine are not independent, and a test that takes
// them to be (Mann and Whitney's, Welch's; benchmath's of two bags of samples) is
// sure of differences that are the weather: the tests of this package measure it.
//
// # What it does instead
//
// The order of the runs is drawn by coin (Plan). A round has four: two pairs of
// neighbours, in each the arm beside the control, which is first being a coin's
// choice. If the arm is the control by another name, each run would have taken what
// it took whatever we call it, and the coin alone gives the pair's difference its
// sign. So the chance of an error is that of coins. It holds for any drift, any
// burst and any correlation in time, also where the machine notices that runs come
// in fours, and for samples that were thrown out and taken again, since what is
// thrown out is decided by what the machine did.
//
// Differences are those of logarithms, so that they are ratios. Their centre is
// Hodges and Lehmann's estimate, with the interval of Wilcoxon's signed ranks: a
// burst that hits one run of a pair is one high rank, however slow the run was. An
// arm that takes a constant factor of the control's time shifts each difference by
// its logarithm, around which the coin makes them symmetric; so the interval is as
// exact as the test, and the test is whether 0 is in it.
//
// Pairs, each with a coin, and not the whole round A B B A with one: that cancels a
// drift that is a straight line over the round, of which a pair of neighbours sees
// little, and it lets one burst spoil four runs in place of two. On a box of two
// cores with eight others at work it took 1.9 to 2.6 times the samples for the same
// interval of wall times, and 1.0 to 1.1 times for processor time (7000 runs of 5 ms).
//
// # The floor
//
// In one of the two pairs of a round the control is its twin, A': the control by
// another name, which may have a build and a lane of its own. What the twin differs
// from it is what a difference means nothing below. The floor is the far end of the
// 95 % interval of that A/A comparison, or what the metric says it is. A win has to
// be sure, and beyond the floor, and at least Rule.Least.
//
// The floor has in it how far the session can tell, and falls with more samples.
// Where twin and control surely differ (code laid out otherwise, a longer path in
// the environment), it does not fall, and an arm inside it is a tie.
//
// A quality metric has one more: how far the control's own centre moves between as
// many seeds as the session had. A loss that is sure, and smaller than what another
// choice of seeds would make, is no loss.
//
// # A tie
//
// A tie is found too, and not what is left over: the interval lies inside
// Rule.Seek on both sides; or the difference is sure and below Rule.Least; or it is
// inside a floor that does not fall.
//
// # Looking more than once
//
// Samples are not taken by the thousand to see 10 %. The judge looks after fixed
// numbers of rounds that follow from the rule, 1.6 times as many each time. Each
// look has an equal part of the chance of error that the rule allows, so that all
// of them together have no more, whatever hangs together (Bonferroni). The first
// look that decides, decides: later samples do not change it, and asking after each
// sample is asking at the looks. Only a rule that is changed after the samples were
// seen gets around that.
//
// Planning is by what the interval has been so far: it is narrowed by the root of
// the number of rounds, and a look is named where Rule.Seek would be found with
// Rule.Power.
//
// # More than one metric
//
// Ten metrics with 1 % each would call one arm of ten that is the control by another
// name better or worse. So Compare gives each metric its part of the rule's chance of
// error, and all together have no more. It costs little: among ten an interval is a
// fifth wider. Name those that matter, and the others take nothing from them.
//
// # What it does not say
//
// That the arm is faster on another machine, or with other inputs than those of its
// seeds; which part of the runs are slower, where the arm changes how the times are
// spread and not where they lie (Notes say where it sees two modes).
package judge
