// This file answers questions about items.

package serve

import (
	"errors"
	"net/http"

	"anchorage/internal/web"
	"anchorage/model"
)

// search finds items by a part of their names.
func search(from *loaded, r *http.Request, n int) (any, error) {
	text := r.URL.Query().Get("search")
	if text == "" {
		return nil, web.Wrong("search is missing: say what the names should contain")
	}
	found, err := from.model.Search(r.Context(), text, n)
	return map[string]any{"items": found}, err
}

// show answers with what the model knows of an item, and at most n of its topics.
func show(from *loaded, r *http.Request, n int) (any, error) {
	item, err := from.model.Item(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, aboutItem(err)
	}
	item.Topics = item.Topics[:min(n, len(item.Topics))]
	return item, nil
}

// similar answers with the items that can take an item's place.
func similar(from *loaded, r *http.Request, n int) (any, error) {
	items, err := from.model.Similar(r.Context(), r.PathValue("id"), n)
	return map[string]any{"items": items}, aboutItem(err)
}

// with answers with the items that go with an item and those that ?and= names: with a basket.
func (s *Server) with(from *loaded, r *http.Request, n int) (any, error) {
	basket := append([]string{r.PathValue("id")}, r.URL.Query()["and"]...)
	if len(basket) > s.opts.MaxItems {
		return nil, tooLarge("%d items: a basket may have %d", len(basket), s.opts.MaxItems)
	}
	items, err := from.model.With(r.Context(), basket, n, nil)
	return map[string]any{"items": items}, aboutItem(err)
}

// aboutItem makes an error of the model one for the client, if the client caused it.
func aboutItem(err error) error {
	var unknown *model.UnknownItemError
	if errors.As(err, &unknown) {
		return &web.Problem{Status: http.StatusNotFound, Code: web.UnknownItem, Message: err.Error(),
			Suggestions: append(unknown.Suggestions, unknown.Codes...)}
	}
	return err
}
