// This file finds the shards that URLs of object stores name.

package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"anchorage/internal/kernel"
	"anchorage/internal/objects"
	"anchorage/shard/internal/access"
)

// remoteRequests is how many objects are asked about at a time.
const remoteRequests = 16

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
			if err := d.documents(o.Name()); err != nil {
				return &Error{Path: arg, Err: err}
			}
			return d.resolve([]objects.Info{*o.Remote}, path.Dir(o.Remote.Key)+"/", true)
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
func (d *discovery) list(place objects.Place) (found []objects.Info, folder string, err error) {
	pattern := place.Key
	prefix, matches := place.Below(""), func(string) (bool, error) { return true, nil }
	if meta := strings.IndexAny(pattern, "*?["); meta >= 0 {
		prefix = place.At(pattern[:strings.LastIndexByte(pattern[:meta], '/')+1])
		matches = func(key string) (bool, error) { return path.Match(pattern, key) }
		if _, err := matches(""); err != nil {
			return nil, "", &Error{Path: place.String(), Err: err}
		}
	}
	var marks marks
	err = objects.List(d.ctx, prefix, d.options.Warn, func(info objects.Info) error {
		marks.note(info)
		for _, element := range strings.Split(strings.TrimPrefix(info.Key, prefix.Key), "/") {
			if isHidden(element) {
				return nil
			}
		}
		matched, err := matches(info.Key)
		if err == nil && matched {
			found = append(found, info)
		}
		return err
	})
	if err != nil {
		return nil, "", access.StoreError(d.ctx, place.String(), err)
	}
	if !strings.ContainsAny(pattern, "*?[") {
		if err := d.convertedRemote(&marks); err != nil {
			return nil, "", err
		}
	}
	return found, prefix.Key, nil
}

// resolve adds those of the objects in a folder that are shards. An object that was named itself is one.
func (d *discovery) resolve(found []objects.Info, folder string, named bool) error {
	shards := make([]Shard, len(found))
	findings := make([]finding, len(found))
	taken := make([]bool, len(found))
	failures := make([]error, len(found))
	err := kernel.Parallel(d.ctx, remoteRequests, len(found), func(i int) error {
		o := access.StoreObject(found[i], d.options.Warn)
		taken[i], failures[i] = named, nil
		if !named {
			if taken[i], failures[i] = d.takes(o); failures[i] != nil || !taken[i] {
				return nil
			}
		}
		if found[i].ETag == "" { // a list does not tell it
			if o, failures[i] = access.LookUp(d.ctx, o.Path, d.options.Warn); failures[i] != nil {
				return nil
			}
		}
		shards[i], findings[i], failures[i] = d.shard(o, strings.TrimPrefix(found[i].Key, folder))
		return nil
	})
	if err != nil {
		return err
	}
	for i, s := range shards {
		if failures[i] != nil {
			return failures[i]
		}
		if !taken[i] {
			continue
		}
		if earlier, twice := d.seen[s.Path]; twice {
			return &Error{Path: s.Path, Err: fmt.Errorf("the object is given twice (first as %s)", earlier)}
		}
		d.seen[s.Path] = s.Path
		d.add(s, findings[i])
	}
	return nil
}
