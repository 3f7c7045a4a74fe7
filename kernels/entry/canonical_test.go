package entry

import "testing"

// A name is the same wherever its file lies, and others stay as they are.
func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"_ZN30_GLOBAL__N__1d98539e_4_k_cu_c34anonEPf":          "_ZN_GLOBAL__N_4anonEPf",
		"_ZN31_GLOBAL__N__d82117a2_5_kk_cu_c34anonEPf":         "_ZN_GLOBAL__N_4anonEPf",
		"_ZN12_GLOBAL__N_14anonEPf":                            "_ZN_GLOBAL__N_4anonEPf",
		"__nv_static_30__30_characters_of_file_and_has_Z2stPf": "__nv_static_Z2stPf",
		"_Z4stepPf": "_Z4stepPf", "99_GLOBAL__N_x": "99_GLOBAL__N_x", "_INTERNAL_": "_INTERNAL_", "": "",
		"__nv_static_99__x": "__nv_static_99__x",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("_ZN30_GLOBAL__N__1d98539e_4_k_cu_c34anonEPf")
	f.Add("__nv_static_5__abcde_Z1f")
	f.Fuzz(func(t *testing.T, name string) {
		if got := Canonical(name); len(got) > len(name) {
			t.Errorf("%q grows to %q", name, got)
		}
	})
}
