package propose

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// included is a line that includes a header.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)`)

// includes finds the directories that the headers of a directory's sources are in, and
// those of their headers: the ones that lie in the workspace, and not beside whoever
// includes them.
func (s *survey) includes(k *Kernels, d dir) {
	var queue []string
	for _, n := range d.cu {
		queue = append(queue, d.file(n))
	}
	for len(queue) > 0 && len(s.read) < maxKernelSources {
		file := queue[0]
		if queue = queue[1:]; s.read[file] {
			continue
		}
		s.read[file] = true
		text, err := readFile(s.path(file), maxSourceText)
		if err != nil {
			continue
		}
		for _, m := range included.FindAllStringSubmatch(string(text), -1) {
			if header := s.header(k, file, m[1], m[2]); header != "" {
				queue = append(queue, header)
			}
		}
	}
}

// header is the file that a name in a file leads to; "" for one from elsewhere. Its
// directory is added to the set's where the compiler has to be told of it.
func (s *survey) header(k *Kernels, from, quoted, angled string) string {
	name := path.Clean(quoted + angled)
	if beside := path.Join(path.Dir(from), name); quoted != "" && s.isHeader(beside) {
		return beside
	}
	for _, dir := range k.Include {
		if s.isHeader(path.Join(dir, name)) {
			return path.Join(dir, name)
		}
	}
	if path.IsAbs(name) || strings.HasPrefix(name, "../") {
		return ""
	}
	best, most := "", -1
	for _, d := range s.tree.dirs {
		top, ok := strings.CutSuffix("/"+d.path, strings.TrimSuffix("/"+path.Dir(name), "/."))
		if !ok || !slices.Contains(d.headers, path.Base(name)) {
			continue
		}
		if top = strings.TrimPrefix(top, "/"); top == "" {
			top = "."
		}
		// What <> names is mostly a library's: only a directory of that name is believed.
		if angled != "" && path.Base(top) != "include" {
			continue
		}
		if n := shared(top, path.Dir(from)); n > most {
			best, most = top, n
		}
	}
	if best == "" {
		return ""
	}
	k.Include = append(k.Include, best)
	return path.Join(best, name)
}

// isHeader says whether a file of the tree can be included.
func (s *survey) isHeader(file string) bool {
	i, ok := s.tree.at[path.Dir(file)]
	if !ok {
		return false
	}
	d := s.tree.dirs[i]
	return slices.Contains(d.headers, path.Base(file)) || slices.Contains(d.cu, path.Base(file))
}

// shared is how many directories two paths begin with alike.
func shared(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}
