package propose

import (
	"context"
	"fmt"
)

// cuda says what is there for a later version.
func (s *survey) cuda(context.Context) {
	files, dirs, first := 0, 0, ""
	for _, d := range s.tree.dirs {
		if d.cu == 0 {
			continue
		}
		if first == "" {
			first = d.path
		}
		files, dirs = files+d.cu, dirs+1
	}
	if files == 0 {
		return
	}
	what := fmt.Sprintf("%s (*.cu) %s", plural(files, "CUDA source"), where(first))
	if dirs > 1 {
		what += " and elsewhere"
	}
	s.leave(what, "compiling them and checking what comes out is for [[kernels]], which comes with a later version")
}

// strangers names build tools that init cannot write gates for, where nothing
// else in the directory did.
func (s *survey) strangers(context.Context) {
	tops := make(map[string]bool)
	for _, d := range s.tree.dirs {
		if s.kinds[d.path] || owner(d.path, tops) != "" {
			continue
		}
		for _, tool := range []struct{ file, run, reader string }{
			{"meson.build", `["meson", "test", "-C", "build"]`, "none"},
			{"MODULE.bazel", `["bazel", "test", "//..."]`, "none"},
			{"WORKSPACE", `["bazel", "test", "//..."]`, "none"},
			{"pom.xml", `["mvn", "-q", "test"]`, "junit:target/surefire-reports/*.xml"},
			{"build.gradle", `["gradle", "test"]`, "junit:build/test-results/test/*.xml"},
			{"build.gradle.kts", `["gradle", "test"]`, "junit:build/test-results/test/*.xml"},
			{"build.zig", `["zig", "build", "test"]`, "none"},
			{"justfile", `["just", "test"]`, "none"},
			{"Justfile", `["just", "test"]`, "none"},
		} {
			if d.has(tool.file) {
				tops[d.path] = true
				s.leave(d.file(tool.file), "init does not read it; a gate by hand: run = %s, reader = %q", tool.run, tool.reader)
				break
			}
		}
	}
}
