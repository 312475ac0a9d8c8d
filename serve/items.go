// This file answers questions about items.

package serve

import (
	"errors"
	"net/http"

	"anchorage/internal/web"
	"anchorage/model"
)

// itemsBody is a list of items.
type itemsBody[T any] struct {
	Items []T `json:"items"`
}

// search finds items by a part of their names.
func (s *Server) search(from *loaded, r *http.Request) (any, error) {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return nil, err
	}
	text := r.URL.Query().Get("search")
	if text == "" {
		return nil, web.Wrong("search is missing: say what the names should contain")
	}
	found, err := from.model.Search(r.Context(), text, n)
	return itemsBody[model.Found]{found}, err
}

// show answers with what the model knows of an item, and at most ?n= of its topics.
func (s *Server) show(from *loaded, r *http.Request) (any, error) {
	n, err := web.Whole(r, "n", 5, 1, s.opts.MaxItems)
	if err != nil {
		return nil, err
	}
	item, err := from.model.Item(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, aboutItem(err)
	}
	item.Topics = item.Topics[:min(n, len(item.Topics))]
	return item, nil
}

// similar answers with the items that can take an item's place.
func (s *Server) similar(from *loaded, r *http.Request) (any, error) {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return nil, err
	}
	items, err := from.model.Similar(r.Context(), r.PathValue("id"), n)
	if err != nil {
		return nil, aboutItem(err)
	}
	return itemsBody[model.Neighbour]{items}, nil
}

// with answers with the items that go with an item and those that ?and= names: with a basket.
func (s *Server) with(from *loaded, r *http.Request) (any, error) {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return nil, err
	}
	basket := append([]string{r.PathValue("id")}, r.URL.Query()["and"]...)
	if len(basket) > s.opts.MaxItems {
		return nil, tooLarge("%d items: a basket may have %d", len(basket), s.opts.MaxItems)
	}
	items, err := from.model.With(r.Context(), basket, n, nil)
	if err != nil {
		return nil, aboutItem(err)
	}
	return itemsBody[model.Complement]{items}, nil
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
