package verify

import (
	"context"
	"slices"
	"sync"
)

// each runs f on all items, some at once, the dearest first, so that no core is left
// with a large one at the end. Results are in the order of the items. A done context
// ends it with the cause of that.
func each[T, R any](ctx context.Context, jobs int, items []T, cost func(T) int, f func(context.Context, T) R) ([]R, error) {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cost(items[b]) - cost(items[a]) })
	results := make([]R, len(items))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(jobs, len(items)) {
		wg.Go(func() {
			for i := range next {
				results[i] = f(ctx, items[i])
			}
		})
	}
	for _, i := range order {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	return results, context.Cause(ctx)
}
