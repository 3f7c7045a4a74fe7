package bundle

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gpuci/gates"
	"gpuci/gates/config"
	"gpuci/kernels/trace"
)

// Built is a gate that gates.BuildOnly has built.
type Built struct {
	Gate    config.Gate
	Verdict gates.Verdict
	Carried gates.Carried
}

// ErrChanged says that something is not any more what it was a moment before.
var ErrChanged = errors.New("changed")

// Making is what a bundle is made of. All fields but Out and TraceLibrary are required.
type Making struct {
	Config  *config.Config
	Gates   []Built
	Version string // of gpuci
	Program string // the path of gpuci, which goes along
	Out     string // the archive that is to be written: the one before it is not packed

	TraceLibrary string // of gates that the atlas counts, which goes beside gpuci; "": there are none
}

// Pack is a bundle that is ready to be written.
type Pack struct {
	Manifest Manifest
	ID       string
	data     []byte // of the manifest
	sources  map[string]source
}

// Plan collects and hashes all that the bundle is to hold. It is to be closed. The error
// is a *gates.NotBundledError where a gate needs what no bundle can bring along.
func Plan(o Making) (*Pack, error) {
	root, err := os.OpenRoot(o.Config.Root)
	if err != nil {
		return nil, fmt.Errorf("make bundle: %w", err)
	}
	bound := o.Gates[0].Verdict.Bound
	first := o.Gates[0].Gate.Name
	p := &Pack{sources: map[string]source{config.FileName: from(o.Config.Root, root, config.FileName, first)}, Manifest: Manifest{
		Type: Type, Schema: schema, Name: o.Config.Workspace.Name, Gpuci: o.Version, Arch: runtime.GOARCH,
		Commit: bound.Commit, Branch: bound.Branch, Changes: bound.Changes, Changed: bound.Changed, Tree: bound.Tree,
	}}
	for _, g := range o.Gates {
		if err = p.gate(o, g, root); err != nil {
			break
		}
	}
	if err == nil {
		err = p.programs(o)
	}
	if err == nil {
		err = p.files()
	}
	if err == nil {
		p.data, err = p.Manifest.data()
	}
	if err == nil {
		_, err = Parse(p.data) // whoever unpacks it is as strict
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	p.ID = idOf(p.data)
	return p, nil
}

// Close gives back what Plan took.
func (p *Pack) Close() error { return p.sources[config.FileName].root.Close() }

// gate adds a gate, what its build made, and what its run needs.
func (p *Pack) gate(o Making, g Built, root *os.Root) error {
	b, m := g.Verdict.Bound, &p.Manifest
	if b.Commit != m.Commit || b.Changes != m.Changes || b.Tree != m.Tree {
		return fmt.Errorf("make bundle: the lane %w while its gates were built, before gate %s (uncommitted: %q, then %q); what a build makes belongs in .gitignore", ErrChanged, g.Gate.Name, m.Changed, b.Changed)
	}
	m.Gates = append(m.Gates, Gate{Name: g.Gate.Name, Config: b.Config, Carried: g.Carried})
	needed, err := gates.NeededBy(o.Config, g.Gate)
	if err != nil {
		return err
	}
	for _, name := range needed.Files {
		if name == ManifestName || name == Marker {
			return &gates.NotBundledError{Gate: g.Gate.Name, Text: "its file " + name + " would lie where the bundle has its own", Next: "give it another name, or a directory, or let bundle name less"}
		}
		if _, have := p.sources[name]; !have && !sameFile(o.Out, filepath.Join(o.Config.Root, filepath.FromSlash(name))) {
			p.sources[name] = from(o.Config.Root, root, name, g.Gate.Name)
		}
	}
	for _, product := range b.Products {
		name := filepath.ToSlash(product.Path)
		if local(name) != nil {
			return &gates.NotBundledError{Gate: g.Gate.Name, Text: "its build makes " + product.Path + ", which is not in the workspace", Next: "build it below the directory of gpuci.toml"}
		}
		if before := p.sources[name].want; before != "" && before != product.SHA256 {
			return fmt.Errorf("make bundle: %s %w with the build of gate %s, which makes another one", name, ErrChanged, g.Gate.Name)
		}
		s := from(o.Config.Root, root, name, g.Gate.Name)
		s.want = product.SHA256
		p.sources[name] = s
	}
	for _, d := range needed.Dirs {
		if !slices.Contains(m.Dirs, d) {
			m.Dirs = append(m.Dirs, d)
		}
	}
	return nil
}

// programs adds gpuci, what a traced gate loads, and gpuci-cuda where a gate brings one
// along.
func (p *Pack) programs(o Making) error {
	if s, taken := p.sources[Program]; taken {
		return &gates.NotBundledError{Gate: o.Gates[0].Gate.Name, Text: "its file " + s.path + " would lie where gpuci itself does", Next: "give it another name, or a directory"}
	}
	p.sources[Program] = source{path: o.Program, gate: o.Gates[0].Gate.Name}
	if o.TraceLibrary != "" {
		if s, taken := p.sources[trace.LibraryName]; taken {
			return &gates.NotBundledError{Gate: o.Gates[0].Gate.Name, Text: "its file " + s.path + " would lie where the atlas's library does", Next: "give it another name, or a directory"}
		}
		p.sources[trace.LibraryName] = source{path: o.TraceLibrary, gate: o.Gates[0].Gate.Name}
	}
	const onCard = "gpuci-cuda"
	for _, name := range p.names() {
		if _, have := p.sources[onCard]; path.Base(name) == onCard && !have {
			p.sources[onCard] = p.sources[name]
		}
	}
	return nil
}

func (p *Pack) names() (out []string) {
	for name := range p.sources {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// files hashes everything.
func (p *Pack) files() error {
	m := &p.Manifest
	sum, n, _ := hash(strings.NewReader(markText))
	m.Files = append(m.Files, File{Path: Marker, SHA256: sum, Bytes: n})
	for _, name := range p.names() {
		f, err := p.file(name)
		switch {
		case errors.Is(err, ErrChanged):
			return fmt.Errorf("make bundle: %w", err)
		case err != nil:
			return &gates.NotBundledError{Gate: p.sources[name].gate, Text: "its file " + name + " cannot be packed: " + err.Error(), Next: "it must be a file of the workspace that can be read"}
		}
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(m.Dirs)
	m.Dirs = slices.DeleteFunc(m.Dirs, func(d string) bool {
		return slices.ContainsFunc(m.Files, func(f File) bool { return strings.HasPrefix(f.Path, d+"/") })
	})
	return nil
}

func (p *Pack) file(name string) (File, error) {
	s := p.sources[name]
	r, err := s.open()
	if err != nil {
		return File{}, err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is no regular file", name)
	}
	f := File{Path: name, Exec: info.Mode()&0o111 != 0}
	if f.SHA256, f.Bytes, err = hash(r); err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	if s.want != "" && s.want != f.SHA256 {
		return File{}, fmt.Errorf("%s %w since the build made it", name, ErrChanged)
	}
	f.Binary = needsOf(r)
	s.want = f.SHA256
	p.sources[name] = s
	return f, nil
}
