package shim

import "strings"

// The variables by which ccache and sccache are told to look past a shim.
//
// A cache that was called by its own path looks for a bare compiler name on
// PATH, finds our shim, and would take it for the compiler: after an upgrade
// of the real one, its old objects would come back. ccache runs a command of
// ours at every compile. sccache (0.4 was tried) runs none; it has a text of
// ours in its keys, made with the environment: in a shell that lives across
// the upgrade, `gpuci env` has to be run again, or sccache called by its name.
const (
	ccacheCheck  = "CCACHE_COMPILERCHECK"
	sccacheCheck = "SCCACHE_C_CUSTOM_CACHE_BUSTER"
)

// checkFlag begins the command that ccache runs to tell compilers apart. What
// the user had set is behind it, so that it can be put back.
const checkFlag = "--compiler-check"

// busterPrefix begins our value for sccache; the user's own follows.
const busterPrefix = "gpuci:"

// withCacheChecks gives env with both variables set for the shims in dir. A
// user's own check stays, except the two that would look at the shim's file.
func withCacheChecks(env []string, dir, toolsID string) []string {
	env = withoutCacheChecks(env)
	switch check, ok := Lookup(env, ccacheCheck); {
	case !ok:
		env = With(env, ccacheCheck, dir+"/"+ProgramName+" "+checkFlag+" %compiler%")
	case check == "mtime" || check == "content":
		env = With(env, ccacheCheck, dir+"/"+ProgramName+" "+checkFlag+"="+check+" %compiler%")
	}
	own, ok := Lookup(env, sccacheCheck)
	if ok {
		own = ":" + own
	}
	return With(env, sccacheCheck, busterPrefix+toolsID+own)
}

// withoutCacheChecks takes both out again where they are ours: a cache that
// sees the real compiler shares its entries with a bare build.
func withoutCacheChecks(env []string) []string {
	if check, ok := Lookup(env, ccacheCheck); ok {
		if own, had, ours := originalCheck(check); ours {
			env = Without(env, ccacheCheck)
			if had {
				env = append(env, ccacheCheck+"="+own)
			}
		}
	}
	if buster, ok := Lookup(env, sccacheCheck); ok && strings.HasPrefix(buster, busterPrefix) {
		env = Without(env, sccacheCheck)
		if _, own, had := strings.Cut(buster[len(busterPrefix):], ":"); had {
			env = append(env, sccacheCheck+"="+own)
		}
	}
	return env
}

// originalCheck tells whether a compiler check of ccache is ours, and what the
// user's was if there was one.
func originalCheck(check string) (own string, had, ours bool) {
	_, rest, ok := strings.Cut(check, "/"+ProgramName+" "+checkFlag)
	if !ok {
		return "", false, false
	}
	own, _, _ = strings.Cut(rest, " ")
	own, had = strings.CutPrefix(own, "=")
	return own, had, true
}
