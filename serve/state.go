// This file loads models and puts new ones in the place of old ones.

package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"anchorage/bayes/infer"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/transform"
	"anchorage/store"
)

// loaded is a model with what answers are made from. Nothing in it changes, so requests share it.
type loaded struct {
	model       *model.Model
	transformer *transform.Transformer
	id          string // of the model: the hash of its manifest
	at          time.Time
}

func newLoaded(m *model.Model, id string) (*loaded, error) {
	transformer, err := transform.New(m, infer.Options{})
	return &loaded{m, transformer, id, time.Now()}, err
}

// modelAt returns the model at a path: of a store that of the current generation, which no update removes before
// release is called, and otherwise the path itself.
func modelAt(ctx context.Context, path string) (found string, release func(), err error) {
	if is, err := store.Is(ctx, path); err != nil || !is {
		return path, func() {}, nil // reading the model says what is wrong
	}
	return store.UseModel(ctx, path)
}

// load loads the model at a path. A model may be replaced while it is read; then it is read again.
func load(ctx context.Context, path string) (*loaded, error) {
	const attempts = 3
	for range attempts {
		next, err := attempt(ctx, path)
		if next != nil || err != nil {
			return next, err
		}
	}
	return nil, fmt.Errorf("%s: the model was replaced %d times while it was read", path, attempts)
}

// attempt loads the model at a path; nil if it is replaced meanwhile.
func attempt(ctx context.Context, path string) (*loaded, error) {
	path, release, err := modelAt(ctx, path)
	if err != nil {
		return nil, err
	}
	defer release()
	before, err := fingerprint(ctx, path)
	if err != nil {
		return nil, err
	}
	m, err := model.Load(ctx, path)
	if err == nil {
		err = m.Prepare(ctx)
	}
	after, now := fingerprint(ctx, path)
	switch {
	case now == nil && after != before:
		return nil, nil
	case err != nil:
		return nil, err
	case now != nil:
		return nil, now
	}
	return newLoaded(m, before)
}

// identify returns the fingerprint of the model at a path, which may be that of a store.
func identify(ctx context.Context, path string) (string, error) {
	path, release, err := modelAt(ctx, path)
	if err != nil {
		return "", err
	}
	defer release()
	return fingerprint(ctx, path)
}

// fingerprint returns what identifies a model without reading all of it: the hash of its manifest, which has those of
// its files, and of recommend.json, which is written after the pairs of items.
func fingerprint(ctx context.Context, path string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{model.ManifestFile, "recommend.json"} {
		file := objects.Join(path, name)
		known, err := objects.Exists(ctx, file)
		if err == nil && !known && name == "recommend.json" {
			continue
		}
		text, err := objects.ReadFile(ctx, file)
		if err != nil {
			return "", unreadable(ctx, path, name, err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// unreadable returns the error of a model whose file cannot be read: if nothing is at its path, of that.
func unreadable(ctx context.Context, path, name string, err error) error {
	if there, look := objects.Exists(ctx, path); look == nil && !there && !objects.IsURL(path) {
		return &model.InputError{Path: path, Reason: "does not exist"}
	}
	return &model.InputError{Path: path, Reason: "has no readable " + name + ": " + err.Error()}
}

// watch looks for a new model until ctx ends. A model that cannot be loaded is tried again each time and reported once;
// the old one stays.
func (s *Server) watch(ctx context.Context) {
	ticker := time.NewTicker(s.opts.Watch)
	defer ticker.Stop()
	refused := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		refused = s.look(ctx, refused)
	}
}

// look loads the model if it is another one than that in use. It returns what it refused, and reports that unless it
// was refused before.
func (s *Server) look(ctx context.Context, refused string) string {
	id, err := identify(ctx, s.path)
	if err != nil {
		id = "error: " + err.Error()
	}
	if id == s.current.Load().id {
		return ""
	}
	if err == nil {
		var next *loaded
		if next, err = load(ctx, s.path); err == nil {
			s.use(next)
			s.log.Info("model loaded", "model", s.path, "id", next.id, "items", next.model.Vocabulary.Len(), "topics",
				next.model.Topics())
			return ""
		}
	}
	if ctx.Err() == nil && id != refused {
		s.metrics.refused.Inc()
		s.log.Error("the new model cannot be loaded; the old one stays in use", "model", s.path, "error", err)
	}
	return id
}
