// This file tests the rules about what users see: what the mathematics depends on, which types signatures name, and
// which packages name flags.

package lint

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mathematics are the packages that know documents and matrices, but no files.
var mathematics = []string{"corpus", "matrix", "bayes/infer", "sketch", "rectify", "anchor", "bayes",
	"metric", "model/items"}

// foreign matches imports that the mathematics must not link, directly or indirectly.
var foreign = regexp.MustCompile(`^(github\.com/apache/arrow|gocloud\.dev|github\.com/minio|github\.com/aws|github\.com/Azure|cloud\.google\.com|google\.golang\.org)`)

// goList runs go list at the top of the module and returns its lines.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	command := exec.Command("go", append([]string{"list"}, args...)...)
	command.Dir, command.Stderr = top, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(args, " "), err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n")
}

func TestMathematicsStandsAlone(t *testing.T) {
	args := []string{"-f", "{{.ImportPath}}{{range .Deps}} {{.}}{{end}}"}
	for _, name := range mathematics {
		args = append(args, "./"+name)
	}
	for _, line := range goList(t, args...) {
		name, dependencies, _ := strings.Cut(line, " ")
		for dependency := range strings.FieldsSeq(dependencies) {
			if foreign.MatchString(dependency) {
				t.Errorf("package %s depends on %s", name, dependency)
				break // one is enough
			}
		}
	}
}

// public reports whether users may import a package. pkg is its path from the top of the module.
func public(pkg string) bool {
	for _, private := range []string{"internal", "cmd", "bench", "testdata", "examples"} {
		if pkg == private || strings.HasPrefix(pkg, private+"/") || strings.Contains(pkg, "/internal/") ||
			strings.HasSuffix(pkg, "/internal") {
			return false
		}
	}
	return true
}

// TestSurface checks that exported types, functions, methods and fields of public packages name only public types.
func TestSurface(t *testing.T) {
	module := moduleName(t)
	exports := map[string]string{}
	var packages []string
	for _, line := range goList(t, "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...") {
		path, file, _ := strings.Cut(line, " ")
		exports[path] = file
		if rest, ours := strings.CutPrefix(path, module+"/"); ours && public(rest) {
			packages = append(packages, path)
		}
	}
	if len(packages) < 8 {
		t.Fatalf("only %d public packages found: %v", len(packages), packages)
	}
	load := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser,
		error) {
		return os.Open(exports[path])
	})
	for _, path := range packages {
		pkg, err := load.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range surfaceProblems(pkg, module) {
			t.Error(problem)
		}
	}
}

// surfaceProblems returns the places where a package's exported API names a type of an internal package of the module.
func surfaceProblems(pkg *types.Package, module string) []string {
	s := surface{module: module, seen: map[types.Type]bool{}}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		object := scope.Lookup(name)
		if !object.Exported() {
			continue
		}
		where := pkg.Path() + "." + name
		s.look(where, object.Type())
		if named, ok := types.Unalias(object.Type()).(*types.Named); ok && named.Obj() == object {
			s.look(where, named.Underlying())
			for i := range named.TypeParams().Len() {
				s.look(where, named.TypeParams().At(i).Constraint())
			}
			for i := range named.NumMethods() {
				if method := named.Method(i); method.Exported() {
					s.look(where+"."+method.Name(), method.Type())
				}
			}
		}
	}
	return s.problems
}

type surface struct {
	module   string
	seen     map[types.Type]bool
	problems []string
}

// look records the internal types that type t names. where is the place of t in the API.
func (s *surface) look(where string, t types.Type) {
	if alias, ok := t.(*types.Alias); ok {
		s.name(where, alias.Obj())
		s.look(where, types.Unalias(t))
		return
	}
	switch t := t.(type) {
	case *types.Named:
		s.name(where, t.Obj())
		for i := range t.TypeArgs().Len() {
			s.look(where, t.TypeArgs().At(i))
		}
	case *types.Pointer:
		s.look(where, t.Elem())
	case *types.Slice:
		s.look(where, t.Elem())
	case *types.Array:
		s.look(where, t.Elem())
	case *types.Chan:
		s.look(where, t.Elem())
	case *types.Map:
		s.look(where, t.Key())
		s.look(where, t.Elem())
	case *types.Signature:
		for i := range t.TypeParams().Len() {
			s.look(where, t.TypeParams().At(i).Constraint())
		}
		s.look(where, t.Params())
		s.look(where, t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			s.look(where, t.At(i).Type())
		}
	case *types.Struct:
		if s.seen[t] {
			return
		}
		s.seen[t] = true
		for i := range t.NumFields() {
			if field := t.Field(i); field.Exported() {
				s.look(where+"."+field.Name(), field.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			s.look(where+"."+t.ExplicitMethod(i).Name(), t.ExplicitMethod(i).Type())
		}
		for i := range t.NumEmbeddeds() {
			s.look(where, t.EmbeddedType(i))
		}
	}
}

// name records object if it belongs to an internal package of the module.
func (s *surface) name(where string, object *types.TypeName) {
	if pkg := object.Pkg(); pkg != nil && strings.HasPrefix(pkg.Path(), s.module+"/") &&
		strings.Contains("/"+pkg.Path()+"/", "/internal/") {
		s.problems = append(s.problems, fmt.Sprintf("%s names %s.%s, which users cannot", where, pkg.Path(), object.Name()))
	}
}

// TestSurfaceFinds checks that the rule finds the internal types of a made-up package.
func TestSurfaceFinds(t *testing.T) {
	hidden := types.NewPackage("anchorage/internal/hidden", "hidden")
	secret := types.NewNamed(types.NewTypeName(token.NoPos, hidden, "Secret", nil), types.NewStruct(nil, nil), nil)
	pkg := types.NewPackage("anchorage/open", "open")
	field := types.NewField(token.NoPos, pkg, "S", types.NewSlice(types.NewPointer(secret)), false)
	types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Open", nil), types.NewStruct([]*types.Var{field}, nil), nil)
	opened := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Opened", nil),
		types.NewStruct([]*types.Var{field}, nil), nil)
	pkg.Scope().Insert(opened.Obj())
	result := types.NewTuple(types.NewVar(token.NoPos, pkg, "", secret))
	pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, "Make", types.NewSignatureType(nil, nil, nil, nil, result, false)))
	pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, "own", types.NewSignatureType(nil, nil, nil, nil, result, false)))
	alias := types.NewAlias(types.NewTypeName(token.NoPos, pkg, "Alias", nil), secret)
	pkg.Scope().Insert(alias.Obj())
	got := surfaceProblems(pkg, "anchorage")
	want := []string{
		"anchorage/open.Alias names anchorage/internal/hidden.Secret, which users cannot",
		"anchorage/open.Make names anchorage/internal/hidden.Secret, which users cannot",
		"anchorage/open.Opened.S names anchorage/internal/hidden.Secret, which users cannot",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// flag matches the name of a command-line flag in a text.
var flag = regexp.MustCompile("(^|[\\s(\"'`])(--[a-z][a-z-]+|\\(-k\\))")

// flagProblems returns the places where a file names a flag. A library gives facts; the command gives advice.
func (f *sourceFile) flagProblems() []string {
	if f.pkg == "cmd" || strings.HasPrefix(f.pkg, "cmd/") || f.pkg == "bench" || strings.HasPrefix(f.pkg, "bench/") ||
		strings.HasPrefix(f.pkg, "testdata/") ||
		strings.HasPrefix(f.pkg, "examples/") || f.pkg == "internal/lint" || f.test {
		return nil
	}
	var found []string
	look := func(node ast.Node, text string) {
		if name := flag.FindString(text); name != "" {
			found = append(found, f.at(node, "%q names a flag; only commands do", strings.TrimSpace(name)))
		}
	}
	for _, group := range f.syntax.Comments {
		for _, comment := range group.List {
			look(comment, comment.Text)
		}
	}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			look(literal, literal.Value)
		}
		return true
	})
	return found
}

func TestFlagsAreNamedByCommands(t *testing.T) {
	for _, f := range sourceFiles(t) {
		for _, problem := range f.flagProblems() {
			t.Error(problem)
		}
	}
}

func TestFlagsAreFound(t *testing.T) {
	for _, test := range []struct {
		name, source string
		want         int
	}{
		{"model/a.go", "package model\n// With --min-df it is less.\nvar a = \"raise --max-items (-k)\"", 2},
		{"model/a.go", "package model\n// A well-known thing -- or two.\nvar a = \"1--2\"", 0},
		{"model/a.go", "package model\nvar a = \"topics (-k)\"", 1},
		{"cmd/anchorage/a.go", "package main\nvar a = \"--min-df\"", 0},
	} {
		f := &sourceFile{name: test.name, pkg: test.name[:strings.LastIndex(test.name, "/")], set: token.NewFileSet()}
		f.syntax = parse(t, f.set, test.name, test.source)
		if got := f.flagProblems(); len(got) != test.want {
			t.Errorf("%s: %q, want %d", test.source, got, test.want)
		}
	}
}
