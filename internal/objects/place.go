// This file parses and builds URLs of objects.

package objects

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Place is where an object lies, or a prefix of the keys of several.
type Place struct {
	Bucket string // "s3://name"
	Key    string // without a leading slash
	Query  string // without the question mark
}

// IsURL reports whether path names an object of a store rather than a file.
func IsURL(path string) bool {
	scheme, _, found := strings.Cut(path, "://")
	return found && slices.Contains(Schemes, scheme)
}

// Local returns the path in a URL of the form file:///PATH, and any other path unchanged. URLs of other kinds are
// errors.
func Local(path string) (string, error) {
	rest, found := strings.CutPrefix(path, "file://")
	switch {
	case !found:
		if scheme, _, found := strings.Cut(path, "://"); found && !strings.ContainsAny(scheme, `/\.`) && len(scheme) > 1 {
			return "", fmt.Errorf("%s: unknown kind of URL; use s3://, gs://, azblob:// or file://", path)
		}
		return path, nil
	case !strings.HasPrefix(rest, "/"):
		return "", fmt.Errorf("%s names another machine: write file:// followed by an absolute path", path)
	}
	if unescaped, err := url.PathUnescape(rest); err == nil {
		rest = unescaped
	}
	if len(rest) > 2 && rest[2] == ':' {
		rest = rest[1:] // file:///C:/x
	}
	return filepath.FromSlash(rest), nil
}

// Parse parses the URL of an object.
func Parse(path string) (Place, error) {
	scheme, rest, _ := strings.Cut(path, "://")
	var p Place
	// A question mark without a "=" after it belongs to a pattern.
	if at := strings.LastIndexByte(rest, '?'); at >= 0 && strings.Contains(rest[at:], "=") {
		rest, p.Query = rest[:at], rest[at+1:]
	}
	bucket, key, _ := strings.Cut(rest, "/")
	if !IsURL(path) || bucket == "" {
		return p, fmt.Errorf("%s is not the URL of an object: write s3://BUCKET/KEY", path)
	}
	p.Bucket, p.Key = scheme+"://"+bucket, key
	return p, nil
}

// String returns the URL.
func (p Place) String() string {
	text := p.Bucket + "/" + p.Key
	if p.Query != "" {
		text += "?" + p.Query
	}
	return text
}

// At returns the place of another key of the bucket.
func (p Place) At(key string) Place {
	p.Key = key
	return p
}

// Name returns the last element of the key.
func (p Place) Name() string { return path.Base(p.Key) }

// Below returns the place of a name below this one.
func (p Place) Below(name string) Place {
	if p.Key != "" && !strings.HasSuffix(p.Key, "/") {
		p.Key += "/"
	}
	return p.At(p.Key + name)
}

// Beside returns the place of a name in the same folder.
func (p Place) Beside(name string) Place {
	return p.At(p.Key[:strings.LastIndexByte(p.Key, '/')+1] + name)
}

// Join returns the path of a name in a directory, which may be a URL.
func Join(dir, name string) string {
	if p, err := Parse(dir); err == nil {
		return p.Below(name).String()
	}
	return filepath.Join(dir, name)
}

// Folder returns the directory that holds a file or object; it is a URL if name is one.
func Folder(name string) string {
	if p, err := Parse(name); err == nil {
		return p.At(strings.TrimSuffix(p.Beside("").Key, "/")).String()
	}
	return filepath.Dir(name)
}
