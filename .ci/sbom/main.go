// Command sbom lists the modules that are linked into a Go binary, in the form of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json).
// It reads what the linker wrote into the binary, so that the list is that of the binary and of nothing else. Equal binaries have equal
// lists: there are no times and no random numbers in them.
//
//	sbom BINARY VERSION >BINARY.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
)

// bom is the list.
type bom struct {
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component  component  `json:"component"`
	Properties []property `json:"properties"`
}

// component is the program or a module.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"` // hexadecimal
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY VERSION")
		os.Exit(2)
	}
	if err := list(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// list writes the list of a binary.
func list(w io.Writer, path, version string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(content)
	program := newComponent("application", info.Main.Path, version)
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(digest[:])}}
	b := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{Component: program, Properties: settings(info, path)},
		Components: []component{newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := newComponent("library", module.Path, module.Version)
		if c.Hashes, err = moduleHash(module.Sum); err != nil {
			return fmt.Errorf("%s: %w", module.Path, err)
		}
		b.Components = append(b.Components, c)
	}
	on := dependency{Ref: program.Ref}
	for _, c := range b.Components {
		on.On = append(on.On, c.Ref)
	}
	b.Dependencies = []dependency{on}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(b)
}

// newComponent returns a component with its package URL, https://github.com/package-url/purl-spec, of the type golang.
func newComponent(kind, name, version string) component {
	purl := "pkg:golang/" + strings.ToLower(name) + "@" + url.QueryEscape(version)
	return component{Type: kind, Ref: purl, Name: name, Version: version, PURL: purl}
}

// settings returns how the binary was built.
func settings(info *debug.BuildInfo, path string) []property {
	list := []property{{"file", filepath.Base(path)}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "-trimpath", "-tags":
			list = append(list, property{"go:" + s.Key, s.Value})
		}
	}
	return list
}

// moduleHash returns the SHA-256 in the sum of a module as go.sum has it: "h1:" and base64.
func moduleHash(sum string) ([]hash, error) {
	if sum == "" {
		return nil, nil // a module of this machine
	}
	encoded, found := strings.CutPrefix(sum, "h1:")
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !found {
		return nil, fmt.Errorf("the sum %q is not one of SHA-256", sum)
	}
	return []hash{{"SHA-256", hex.EncodeToString(content)}}, nil
}
