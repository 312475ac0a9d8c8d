// This file answers questions about items.

package explore

import (
	"net/http"

	"anchorage/internal/page"
	"anchorage/internal/safetext"
	"anchorage/internal/web"
	"anchorage/model"
)

// itemBody is an item in a list. Name is cut, and has what would not be shown as an escape.
type itemBody struct {
	Item        int     `json:"item"` // its number
	Name        string  `json:"name"`
	Documents   int64   `json:"documents"`
	Tokens      int64   `json:"tokens"`
	Reliability float64 `json:"reliability"`
	Uncertain   bool    `json:"uncertain"`
	Topic       int     `json:"topic"` // with the greatest share
	Share       float64 `json:"share"` // p(topic | item) of it
}

func (st *state) itemBody(i int) itemBody {
	m := st.model
	top := int(m.TopTopic(i))
	return itemBody{i, page.Name(m.Name(i)), m.DocumentFrequency[i], m.TermFrequency[i], m.ReliabilityOf(i),
		m.Uncertain(i), top,
		m.Mixtures.Row(i)[top]}
}

// pageOf is a part of a list: Total rows in all, those from From on.
type pageOf[T any] struct {
	Total int `json:"total"`
	From  int `json:"from"`
	Rows  []T `json:"rows"`
}

// cut returns the rows of the page of a list that a request asks for, with ?from= and ?n=.
func cut(r *http.Request, total int) (from, to int, err error) {
	n, err := web.Whole(r, "n", 50, 1, maxItems)
	if err != nil {
		return 0, 0, err
	}
	if from, err = web.Whole(r, "from", 0, 0, 1<<31-1); err != nil {
		return 0, 0, err
	}
	from = min(from, total)
	return from, min(from+n, total), nil
}

// search lists the items whose names contain ?search=, all if it is empty.
func search(st *state, r *http.Request) (any, error) {
	found := st.names.search(r.URL.Query().Get("search"))
	from, to, err := cut(r, len(found))
	if err != nil {
		return nil, err
	}
	list := pageOf[itemBody]{len(found), from, make([]itemBody, to-from)}
	for at := range list.Rows {
		list.Rows[at] = st.itemBody(int(found[from+at]))
	}
	return list, nil
}

// wholeItem is all that is known of an item.
type wholeItem struct {
	itemBody
	ID          string            `json:"id"`
	FullName    string            `json:"full_name"`
	Probability float64           `json:"probability"`
	AnchorOf    []int             `json:"anchor_of"`
	Topics      []model.ItemTopic `json:"topics"`
}

func item(st *state, r *http.Request) (any, error) {
	i, err := numbered(r, "item", st.model.Vocabulary.Len())
	if err != nil {
		return nil, err
	}
	id := st.model.Vocabulary.ID(i)
	known, err := st.model.Item(r.Context(), id)
	if err != nil {
		return nil, err
	}
	for at := range known.AnchorOf { // the page has topics by their places
		known.AnchorOf[at] = st.model.TopicOf(known.AnchorOf[at])
	}
	for at := range known.Topics {
		known.Topics[at].Topic = st.model.TopicOf(known.Topics[at].Topic)
		known.Topics[at].Name = page.Name(known.Topics[at].Name)
	}
	return wholeItem{st.itemBody(i), safetext.Text(id), safetext.Text(st.model.Name(i)), known.Probability,
		known.AnchorOf, known.Topics}, nil
}

// similarBody is an item that is like another.
type similarBody struct {
	itemBody
	Similarity float64 `json:"similarity"`
	Lift       float64 `json:"lift"`
}

func similar(st *state, r *http.Request) (any, error) {
	i, err := numbered(r, "item", st.model.Vocabulary.Len())
	if err != nil {
		return nil, err
	}
	n, err := web.Whole(r, "n", 20, 1, maxItems)
	if err != nil {
		return nil, err
	}
	near, err := st.model.Similar(r.Context(), st.model.Vocabulary.ID(i), n)
	if err != nil {
		return nil, impossible(err)
	}
	list := make([]similarBody, len(near))
	for at, one := range near {
		list[at] = similarBody{st.itemBody(st.lookup(one.ID)), one.Similarity, one.Lift}
	}
	return list, nil
}

// lookup returns the number of an item that the model has.
func (st *state) lookup(id string) int {
	i, known := st.model.Vocabulary.Lookup([]byte(id))
	if !known {
		panic("explore: the model named an item that it does not have")
	}
	return int(i)
}

// checkItems refuses numbers of items that the model does not have, and too many of them.
func (st *state) checkItems(items []int) error {
	if len(items) > maxItems {
		return web.Problemf(http.StatusRequestEntityTooLarge, web.TooLarge, "%d items: a request may have %d", len(items),
			maxItems)
	}
	for _, i := range items {
		if i < 0 || i >= st.model.Vocabulary.Len() {
			return web.Problemf(http.StatusNotFound, web.UnknownItem, "there is no item %d", i)
		}
	}
	return nil
}
