package propose

import "context"

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
