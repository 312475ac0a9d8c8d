// This file finds the shards that URLs of object stores name.

package shard

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"anchorage/internal/objects"
	"anchorage/shard/internal/access"
)

// remote adds the shards of one URL: an object, a folder, or a pattern.
func (d *discovery) remote(arg string) error {
	place, err := objects.Parse(arg)
	if err != nil {
		return &Error{Path: arg, Err: err}
	}
	if place.Key != "" && !strings.HasSuffix(place.Key, "/") {
		o, err := access.LookUp(d.ctx, arg, d.options.Warn)
		switch {
		case err == nil:
			return d.named(o, path.Dir(o.Remote.Key)+"/")
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	found, folder, err := d.list(place)
	if err != nil {
		return err
	}
	if len(found) == 0 && !strings.ContainsAny(place.Key, "*?[") {
		return &Error{Path: arg, Err: errors.New("no such object, and none below it")}
	}
	return d.resolve(found, folder, false)
}

// list returns the objects below a place, or those that match it, in the order of their keys, and the folder in which
// all lie.
func (d *discovery) list(place objects.Place) (found []access.Object, folder string, err error) {
	pattern := place.Key
	prefix, matches := place.Below(""), func(string) (bool, error) { return true, nil }
	meta := strings.IndexAny(pattern, "*?[")
	if meta >= 0 {
		prefix = place.At(pattern[:strings.LastIndexByte(pattern[:meta], '/')+1])
		matches = func(key string) (bool, error) { return path.Match(pattern, key) }
		if _, err := matches(""); err != nil {
			return nil, "", &Error{Path: place.String(), Err: err}
		}
	}
	keys := make(map[string]bool)
	err = objects.List(d.ctx, prefix, d.options.Warn, func(info objects.Info) error {
		keys[info.Key] = true
		for _, element := range strings.Split(strings.TrimPrefix(info.Key, prefix.Key), "/") {
			if isHidden(element) {
				return nil
			}
		}
		matched, err := matches(info.Key)
		if err == nil && matched {
			found = append(found, access.StoreObject(info, d.options.Warn))
		}
		return err
	})
	if err != nil {
		return nil, "", access.StoreError(d.ctx, place.String(), err)
	}
	for key := range keys {
		if folder, name := path.Split(key); name == ListName && meta < 0 {
			err := d.converted(prefix.At(folder).String(), func(name string) (bool, error) { return keys[folder+name], nil })
			if err != nil {
				return nil, "", err
			}
		}
	}
	return found, prefix.Key, nil
}
