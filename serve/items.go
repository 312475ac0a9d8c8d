// This file answers questions about items.

package serve

import (
	"errors"
	"net/http"

	"anchorage/internal/web"
	"anchorage/model"
)

// foundBody is the items that a search found.
type foundBody struct {
	Items []model.Found `json:"items"`
}

// search finds items by a part of their names.
func (s *Server) search(from *loaded, w http.ResponseWriter, r *http.Request) error {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return err
	}
	text := r.URL.Query().Get("search")
	if text == "" {
		return web.Wrong("search is missing: say what the names should contain")
	}
	web.Answer(w, http.StatusOK, foundBody{from.model.Search(text, n)})
	return nil
}

// show answers with what the model knows of an item, and at most ?n= of its topics.
func (s *Server) show(from *loaded, w http.ResponseWriter, r *http.Request) error {
	n, err := web.Whole(r, "n", 5, 1, s.opts.MaxItems)
	if err != nil {
		return err
	}
	item, err := from.model.Item(r.PathValue("id"))
	if err != nil {
		return aboutItem(err)
	}
	item.Topics = item.Topics[:min(n, len(item.Topics))]
	web.Answer(w, http.StatusOK, item)
	return nil
}

// similarBody is items that resemble an item.
type similarBody struct {
	Items []model.Neighbour `json:"items"`
}

// similar answers with the items that can take an item's place.
func (s *Server) similar(from *loaded, w http.ResponseWriter, r *http.Request) error {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return err
	}
	items, err := from.model.Similar(r.Context(), r.PathValue("id"), n, "")
	if err != nil {
		return aboutItem(err)
	}
	web.Answer(w, http.StatusOK, similarBody{items})
	return nil
}

// withBody is items that go with a basket.
type withBody struct {
	Items []model.Complement `json:"items"`
}

// with answers with the items that go with an item and those that ?and= names: with a basket.
func (s *Server) with(from *loaded, w http.ResponseWriter, r *http.Request) error {
	n, err := web.Whole(r, "n", 10, 1, s.opts.MaxItems)
	if err != nil {
		return err
	}
	basket := append([]string{r.PathValue("id")}, r.URL.Query()["and"]...)
	if len(basket) > s.opts.MaxItems {
		return tooLarge("%d items: a basket may have %d", len(basket), s.opts.MaxItems)
	}
	items, err := from.model.With(r.Context(), basket, n, nil)
	if err != nil {
		return aboutItem(err)
	}
	web.Answer(w, http.StatusOK, withBody{items})
	return nil
}

// aboutItem makes an error of the model one for the client, if the client caused it.
func aboutItem(err error) error {
	var unknown *model.UnknownItemError
	if errors.As(err, &unknown) {
		return &web.Problem{Status: http.StatusNotFound, Code: web.UnknownItem, Message: err.Error(), Suggestions: unknown.Suggestions}
	}
	return err
}
