package check

import (
	"slices"
	"testing"

	"gpuci/kernels/entry"
)

// Every way in which a source, a profiler or a demangler calls a kernel means it.
func TestMatches(t *testing.T) {
	heavy := entry.Kernel{Name: "_ZN3ops6detail5heavyEPfi", Readable: "ops::detail::heavy(float*, int)"}
	axpy := entry.Kernel{Name: "_Z6axpy_tIfEvPT_i", Readable: "void axpy_t<float>(float*, int)"}
	deep := entry.Kernel{Name: "_ZN1a1TIiE1kIN1b1UEEEvPT_", Readable: "void a::T<int>::k<b::U>(b::U*)"}
	anon := entry.Kernel{Name: "_ZN12_GLOBAL__N_14anonEPf", Readable: "(anonymous namespace)::anon(float*)"}
	array := entry.Kernel{Name: "_Z1fRA4_f", Readable: "f(float (&) [4])"}
	c := entry.Kernel{Name: "scan_fwd"}
	step2 := entry.Kernel{Name: "_Z4stepPfi", Readable: "step(float*, int)"}
	step1 := entry.Kernel{Name: "_Z4stepPf", Readable: "step(float*)"}
	four := entry.Kernel{Name: "_Z4axpyIfLi4EEvPT_", Readable: "void axpy<float, 4>(float*)"}
	point := entry.Kernel{Name: "_Z4axpyIPfEvPT_", Readable: "void axpy<float*>(float**)"}
	nest := entry.Kernel{Name: "_Z4nest", Readable: "void ns::nest<S<S<float> > >(unsigned int const*, S<float*> const&)"}
	for _, tt := range []struct {
		k       entry.Kernel
		yes, no []string
	}{
		{heavy, []string{"ops::detail::heavy", "ops::*", "ops::detail::*", "heavy", "heav?", "*heavy", "ops::detail::heavy(float*, int)", "_ZN3ops6detail5heavyEPfi", "_ZN3ops*", "*float*", "", "*"},
			[]string{"detail", "heav", "ops::heavy", "detail::heavy", "heavy(float*)", "light", "void"}},
		{axpy, []string{"axpy_t", "axpy_t<float>", "axpy_t<*>", "void axpy_t<float>", "void axpy_t<float>*", "axpy_t<float>*", "axpy_t<float>(float*, int)", "void axpy_t<float>(float*, int)", "axpy_*"},
			[]string{"axpy_t<double>", "axpy", "void axpy_t<double>*", "float"}},
		{deep, []string{"k", "k<b::U>", "a::T<int>::k<b::U>", "a::T::k", "a::*"}, []string{"T", "b::U", "a::T"}},
		{anon, []string{"anon", "(anonymous namespace)::anon", "(anonymous namespace)::*"}, []string{"namespace", "anonymous"}},
		{array, []string{"f", "f(float (&) [4])", "f(*[4])"}, []string{"f(float"}},
		{step2, []string{"step(float*, int)", "step(float *,int)", "step(*)", "step(float*,*)", "step(*, int)", "step(float*"}, []string{"step(float*)", "step(float *)"}},
		{step1, []string{"step(float*)", "step(float *)", "step( float * )", "step(*)", "::step", "::step(float*)", "s*(float*)"}, []string{"step(int*)", "step(float**)", "step(float)"}},
		{four, []string{"axpy<float,4>", "axpy<float, 4>", "::axpy< float , 4 >", "axpy<*>", "axpy<float, *>", "axpy<*, 4>", "void axpy<float,4>(float *)"}, []string{"axpy<float*>", "axpy<float,*>(float)", "axpy<4>"}},
		{point, []string{"axpy<float*>", "axpy<float *>", "axpy<float*>(float **)", "axpy<*>(float**)", "axpy<*>"}, []string{"axpy<float>", "axpy<float, 4>", "axpy<float**>"}},
		{nest, []string{"nest<S<S<float>>>", "ns::nest<S<S<float>>>", "::ns::nest< S<S<float> > >", "nest<S<*>>", "ns::nest<S<S<float>>>(unsigned int const *,S<float*> const &)", "nest"}, []string{"nest<S<float>>", "nest<S<S<float*>>>", "nest<S<S<float>>>(unsignedint const*, S<float*> const&)"}},
		{c, []string{"scan_fwd", "scan_*", "scan_[fb]wd"}, []string{"scan", "scan_[ab]wd", "[", "scan_fwd("}},
	} {
		for _, p := range tt.yes {
			if !Matches(p, &tt.k) {
				t.Errorf("%q does not mean %s, of which the names are %q", p, shown(&tt.k), names(&tt.k))
			}
		}
		for _, p := range tt.no {
			if Matches(p, &tt.k) {
				t.Errorf("%q means %s, of which the names are %q", p, shown(&tt.k), names(&tt.k))
			}
		}
	}
}

// Whatever a kernel is called, each of its names means it.
func FuzzNames(f *testing.F) {
	for _, n := range []string{"void a::T<int>::k<b::U>(b::U*)", "(anonymous namespace)::anon(float*)", "f(float (&) [4])", ")>(<", "a b", "("} {
		f.Add(n, "k*")
	}
	f.Fuzz(func(t *testing.T, readable, pattern string) {
		k := entry.Kernel{Name: "_Z", Readable: readable}
		for _, n := range names(&k) {
			if !Matches(n, &k) {
				t.Errorf("%q does not mean %q", n, readable)
			}
		}
		if pattern != "" && Matches(pattern, &k) && !slices.ContainsFunc(names(&k), func(n string) bool {
			return n == pattern || tighten(n) == tighten(pattern) || matches(literalStars(tighten(pattern)), tighten(n))
		}) {
			t.Errorf("%q means %q by none of its names", pattern, readable)
		}
	})
}

// A kernel whose arguments are spelt otherwise is near.
func TestNear(t *testing.T) {
	modules := []entry.Module{{Kernels: []entry.Kernel{{Name: "_Z2en", Readable: "void ns::en<(M)1>(int*)"}, {Name: "_Z2on", Readable: "void on<(M)1>(int*)"}}}}
	for _, name := range []string{"en<M::B>", "ns::en<M::B>"} {
		if got := Near(name, modules); !slices.Equal(got, []string{"ns::en<(M)1>"}) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
