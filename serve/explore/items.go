// This file answers questions about items, which it finds by parts of their names, among millions. Those that shaped
// no topics have numbers behind the others, in the order of model.Model.Folded.

package explore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"

	"anchorage/corpus"
	"anchorage/internal/page"
	"anchorage/internal/safetext"
	"anchorage/internal/toplist"
	"anchorage/internal/web"
	"anchorage/model"
)

// itemBody is an item in a list. Name is cut, and has what would not be shown as an escape. What folded items have of
// topics is read for their own pages only; in lists it is 0.
type itemBody struct {
	Item        int     `json:"item"` // its number
	Name        string  `json:"name"`
	Documents   int64   `json:"documents"`
	Tokens      int64   `json:"tokens"`
	Reliability float64 `json:"reliability"`
	Uncertain   bool    `json:"uncertain"`
	Folded      bool    `json:"folded"` // it shaped no topics
	Topic       int     `json:"topic"`  // with the greatest share
	Share       float64 `json:"share"`  // p(topic | item) of it
}

func (st *state) itemBody(i int) itemBody {
	m := st.model
	top := int(m.TopTopic(i))
	return itemBody{i, page.Name(m.Name(i)), m.DocumentFrequency[i], m.TermFrequency[i], m.ReliabilityOf(i),
		m.Uncertain(i), false, top, m.Mixtures.Row(i)[top]}
}

// asked returns the id of an item by its number, also of one that shaped no topics.
func (st *state) asked(ctx context.Context, i int) (string, error) {
	n := st.model.Vocabulary.Len()
	if i >= 0 && i < n {
		return st.model.Vocabulary.ID(i), nil
	}
	v, err := st.model.Folded(ctx)
	if err == nil && (v == nil || i < n || i-n >= v.Len()) {
		return "", web.Problemf(http.StatusNotFound, web.UnknownItem, "there is no item %d", i)
	}
	if err != nil {
		return "", err
	}
	return v.ID(i - n), nil
}

// pageOf is a part of a list: Total rows in all, those from From on.
type pageOf[T any] struct {
	Total int `json:"total"`
	From  int `json:"from"`
	Rows  []T `json:"rows"`
	// Near says that nothing was found, and that the rows are what may have been meant.
	Near bool `json:"near,omitempty"`
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
	text := safetext.Low(r.URL.Query().Get("search"))
	found := st.names.search(text)
	v, err := st.model.Folded(r.Context())
	if err != nil && !errors.Is(err, syscall.ENOMEM) { // without room for them, the others are found
		return nil, err
	}
	behind := foldedLike(v, text)
	from, to, err := cut(r, len(found)+len(behind))
	if err != nil {
		return nil, err
	}
	if len(found)+len(behind) == 0 {
		return pageOf[itemBody]{Rows: st.meant(text), Near: true}, nil
	}
	list := pageOf[itemBody]{Total: len(found) + len(behind), From: from, Rows: make([]itemBody, to-from)}
	for at := range list.Rows {
		if place := from + at; place < len(found) {
			list.Rows[at] = st.itemBody(int(found[place]))
		} else {
			i := int(behind[place-len(found)]) // of v, those that shaped no topics
			list.Rows[at] = itemBody{Item: st.model.Vocabulary.Len() + i, Name: page.Name(v.Name(i)),
				Documents: v.DocumentFrequency[i], Tokens: v.TermFrequency[i], Uncertain: true, Folded: true}
		}
	}
	return list, nil
}

// meant returns the items whose names are like a text that no name contains.
func (st *state) meant(text string) []itemBody {
	near := []string{text}
	var unknown *model.UnknownItemError
	if _, err := st.model.Index(text); errors.As(err, &unknown) {
		near = unknown.Suggestions
	}
	rows := []itemBody{}
	for _, name := range near {
		if i, err := st.model.Index(name); err == nil {
			rows = append(rows, st.itemBody(i))
		}
	}
	return rows
}

// foldedLike returns the items of v, those that shaped no topics, whose names or ids contain text, in small letters. v
// may be nil.
func foldedLike(v *corpus.Vocabulary, text string) (like []int32) {
	if v == nil {
		return nil
	}
	for i := range v.Len() {
		if text == "" || strings.Contains(safetext.Low(v.Name(i)), text) ||
			v.Names != nil && strings.Contains(safetext.Low(v.ID(i)), text) {
			like = append(like, int32(i))
		}
	}
	return like
}

// wholeItem is all that is known of an item.
type wholeItem struct {
	itemBody
	ID          string            `json:"id"`
	FullName    string            `json:"full_name"`
	LeftOut     string            `json:"left_out,omitempty"` // why it shaped no topics
	Probability float64           `json:"probability"`
	AnchorOf    []int             `json:"anchor_of"`
	Topics      []model.ItemTopic `json:"topics"`
}

func item(st *state, r *http.Request) (any, error) {
	known, err := st.numbered(r)
	if err != nil {
		return nil, err
	}
	body := itemBody{Name: page.Name(cmp.Or(known.Name, known.ID)), Documents: known.Documents, Tokens: known.Tokens,
		Reliability: known.Reliability, Uncertain: known.Uncertain, Folded: known.Folded,
		Topic: st.model.TopicOf(known.Topics[0].Topic), Share: known.Topics[0].Share}
	if body.Item, _ = strconv.Atoi(r.PathValue("item")); !known.Folded {
		body = st.itemBody(body.Item)
	}
	for at := range known.AnchorOf { // the page has topics by their places
		known.AnchorOf[at] = st.model.TopicOf(known.AnchorOf[at])
	}
	for at := range known.Topics {
		known.Topics[at].Topic = st.model.TopicOf(known.Topics[at].Topic)
		known.Topics[at].Name = page.Name(known.Topics[at].Name)
	}
	return wholeItem{body, safetext.Text(known.ID), safetext.Text(cmp.Or(known.Name, known.ID)), known.LeftOut,
		known.Probability, known.AnchorOf, known.Topics}, nil
}

// numbered returns what is known of the item that a request is about.
func (st *state) numbered(r *http.Request) (*model.Item, error) {
	i, err := numbered(r, "item", 1<<31-1)
	if err != nil {
		return nil, err
	}
	id, err := st.asked(r.Context(), i)
	if err != nil {
		return nil, err
	}
	known, err := st.model.Item(r.Context(), id)
	return known, impossible(err)
}

// similarBody is an item that is like another.
type similarBody struct {
	itemBody
	Similarity float64 `json:"similarity"`
	Lift       float64 `json:"lift"`
}

func similar(st *state, r *http.Request) (any, error) {
	of, err := st.numbered(r)
	if err != nil {
		return nil, err
	}
	n, err := web.Whole(r, "n", 20, 1, maxItems)
	if err != nil {
		return nil, err
	}
	near, err := st.model.Similar(r.Context(), of.ID, n)
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

// tooMany refuses a list of n items.
func tooMany(n int) error {
	return web.Problemf(http.StatusRequestEntityTooLarge, web.TooLarge, "%d items: a request may have %d", n, maxItems)
}

// checkItems refuses numbers of items that the model does not have, and too many of them.
func (st *state) checkItems(items []int) error {
	if len(items) > maxItems {
		return tooMany(len(items))
	}
	for _, i := range items { // of a step, which changes only those that shaped topics
		if i < 0 || i >= st.model.Vocabulary.Len() {
			return web.Problemf(http.StatusNotFound, web.UnknownItem, "item %d shaped no topics, or is not there", i)
		}
	}
	return nil
}

// boundary is between names. No valid text has this byte.
const boundary = 0xff

// names are the names of all items in small letters, one after the other, those of most documents first. So a search is
// one pass over text, and finds items in the order in which they are shown.
type names struct {
	text   []byte
	starts []int64          // of each name, and the end
	items  []int32          // whose names they are
	exact  map[string]int32 // the items of names that are no ids; −1 of a name that several have
}

func newNames(m *model.Model) *names {
	n := m.Vocabulary.Len()
	x := &names{items: make([]int32, n), starts: make([]int64, 0, n+1), exact: make(map[string]int32)}
	for at, i := range toplist.Order(m.DocumentFrequency) {
		x.items[at] = int32(i)
		x.starts = append(x.starts, int64(len(x.text)))
		text := m.Name(i)
		if own := m.OwnName(i); own != "" {
			if _, twice := x.exact[own]; twice {
				x.exact[own] = -1
			} else {
				x.exact[own] = int32(i)
			}
			text += "\n" + m.Vocabulary.ID(i)
		}
		x.text = append(append(x.text, safetext.Low(text)...), boundary)
	}
	x.starts = append(x.starts, int64(len(x.text)))
	return x
}

// search returns the items whose names contain text, in any case and form of accents: first those with that name, then
// those that begin with it, then the others. Within each kind, items of most documents come first. An empty text finds
// all.
func (x *names) search(text string) []int32 {
	if text == "" {
		return x.items
	}
	var same, begin, inside []int32
	low := []byte(safetext.Low(text))
	for at, row := int64(0), 0; ; {
		hit := bytes.Index(x.text[at:], low)
		if hit < 0 {
			break
		}
		at += int64(hit)
		row += sort.Search(len(x.items)-row, func(i int) bool { return x.starts[row+i+1] > at })
		item, end := x.items[row], x.starts[row+1]
		switch {
		case at > x.starts[row]:
			inside = append(inside, item)
		case at+int64(len(low)) == end-1:
			same = append(same, item)
		default:
			begin = append(begin, item)
		}
		at = end // a name counts once
	}
	return slices.Concat(same, begin, inside)
}
