package propose

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	// cmakeComment is dropped before anything is looked for.
	cmakeComment  = regexp.MustCompile(`(?m)#[^\n]*`)
	cmakeProject  = regexp.MustCompile(`(?i)\bproject\s*\(`)
	cmakeEnable   = regexp.MustCompile(`(?i)\benable_testing\s*\(|\binclude\s*\(\s*CTest\b`)
	cmakeAddTests = regexp.MustCompile(`(?i)\b(?:add_test|\w+_discover_tests|\w+_add_tests)\s*\(`)
)

// cmake makes one gate of each CMake project that has tests for CTest.
func (s *survey) cmake(ctx context.Context) {
	tops := make(map[string]bool)
	for _, at := range s.dirsWith("CMakeLists.txt") {
		if owner(at, tops) != "" {
			continue // a part of the project above
		}
		text := s.cmakeText(path.Join(at, "CMakeLists.txt"))
		if !cmakeProject.MatchString(text) {
			continue // a part of something else
		}
		tops[at] = true
		s.kinds[at] = true
		switch {
		case !cmakeEnable.MatchString(text):
			s.leave(path.Join(at, "CMakeLists.txt"), "no enable_testing() or include(CTest) in it, so that CTest finds nothing")
		case !s.addsTests(at):
			s.leave(path.Join(at, "CMakeLists.txt"), "no add_test() or …_discover_tests() here or below")
		default:
			s.add(s.cmakeGate(ctx, at))
		}
	}
}

func (s *survey) cmakeText(file string) string {
	text, _ := s.readText(file)
	return cmakeComment.ReplaceAllString(text, "")
}

func (s *survey) addsTests(top string) bool {
	return slices.ContainsFunc(s.dirsWith("CMakeLists.txt"), func(at string) bool {
		return under(at, top) && cmakeAddTests.MatchString(s.cmakeText(path.Join(at, "CMakeLists.txt")))
	})
}

// cmakeGate configures and builds in a directory of its own, so that nobody's
// build directory changes under him.
func (s *survey) cmakeGate(ctx context.Context, at string) Gate {
	build := s.buildDir(ctx, at)
	g := Gate{
		About: "the CTest tests " + where(at), Dir: at, Reader: "ctest",
		Run:   [][]string{{"ctest", "--test-dir", build, "--output-on-failure"}},
		wish:  near(at, "ctest"),
		makes: []string{path.Join(at, build) + "/"},
	}
	configure := []string{"cmake", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Debug"}
	g.Profile = "debug"
	if preset := s.preset(at); preset != "" {
		configure, g.Profile = []string{"cmake", "--preset", preset, "-B", build}, ""
	} else {
		g.Remarks = append(g.Remarks, "Debug, because a release build takes assert() out, and tests with it")
	}
	g.Build = [][]string{configure, {"cmake", "--build", build}}
	return g
}

// buildDir is a build directory that git ignores, if one of the usual ones is.
func (s *survey) buildDir(ctx context.Context, at string) string {
	usual := []string{"build/gpuci", "out/gpuci", "cmake-build-gpuci", ".build/gpuci"}
	var probes []string
	for _, dir := range usual {
		probes = append(probes, path.Join(at, dir, "made"))
	}
	ignored, _ := s.ignoredPaths(ctx, probes)
	for i, probe := range probes {
		if slices.Contains(ignored, probe) {
			return usual[i]
		}
	}
	return usual[0]
}

// one or many, of what may be either in a preset.
func oneOrMany(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			if text, ok := x.(string); ok {
				out = append(out, strings.TrimSpace(text))
			}
		}
	}
	return out
}
