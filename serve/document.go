// This file reads the documents of a request.

package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"anchorage/internal/web"
)

// transformRequest is the body of POST /v1/transform.
type transformRequest struct {
	Documents []document `json:"documents"`
	Top       int        `json:"top"`     // topics named per document; 0 means 5
	Mixture   bool       `json:"mixture"` // whether answers have the shares of all topics
}

// document is a bag of items: a list, in which an item may come several times, with or without a list of counts; or an
// object of counts.
type document struct {
	ID     string  `json:"id"`
	Items  bag     `json:"items"`
	Counts []int32 `json:"counts"`
}

// bag is the items of a document, and their counts if they were given as an object.
type bag struct {
	ids    []string
	counts []int32 // nil for a list
}

var errNoID = errors.New("an item id must be a string or a whole number")

// UnmarshalJSON reads items in the order in which they are written.
func (b *bag) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	open, err := decoder.Token()
	switch {
	case err != nil || open != json.Delim('[') && open != json.Delim('{'):
		return errors.New("items must be a list of ids or an object of counts")
	case open == json.Delim('{'):
		b.counts = []int32{}
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		id, err := itemID(token)
		if err != nil {
			return err
		}
		b.ids = append(b.ids, id)
		if b.counts == nil {
			continue
		}
		var count *int32
		if err := decoder.Decode(&count); err != nil || count == nil {
			return errors.New("the counts of items must be whole numbers from 0 to 2147483647")
		}
		b.counts = append(b.counts, *count)
	}
	return nil
}

// itemID returns an id, which may be a string or a whole number. A number means its canonical decimal form, as in all
// formats.
func itemID(token json.Token) (string, error) {
	switch id := token.(type) {
	case string:
		return id, nil
	case json.Number:
		if whole, err := strconv.ParseInt(id.String(), 10, 64); err == nil {
			return strconv.FormatInt(whole, 10), nil
		}
	}
	return "", errNoID
}

// readDocuments reads the body of a request and checks it against the limits.
func (s *Server) readDocuments(r *http.Request) (*transformRequest, error) {
	var request transformRequest
	if err := web.ReadJSON(r, &request); err != nil {
		return nil, err
	}
	if n := len(request.Documents); n > s.opts.MaxDocuments {
		return nil, tooLarge("%d documents: a request may have %d", n, s.opts.MaxDocuments)
	}
	if request.Top < 0 {
		return nil, web.Wrong("top is %d: it cannot be negative", request.Top)
	}
	for i := range request.Documents {
		if err := s.check(&request.Documents[i]); err != nil {
			err.Message = "document " + strconv.Itoa(i) + ": " + err.Message
			return nil, err
		}
	}
	return &request, nil
}

// check checks a document and gives it counts, without items that are counted 0 times.
func (s *Server) check(d *document) *web.Problem {
	n := len(d.Items.ids)
	switch {
	case n > s.opts.MaxItems:
		return tooLarge("%d items: a document may have %d", n, s.opts.MaxItems)
	case d.Items.counts != nil && d.Counts != nil:
		return web.Wrong("items has counts already: leave counts out")
	case d.Items.counts != nil:
		d.Counts = d.Items.counts
	case d.Counts == nil:
		d.Counts = slices.Repeat([]int32{1}, n)
	case len(d.Counts) != n:
		return web.Wrong("%d counts for %d items", len(d.Counts), n)
	}
	kept := 0
	for i, count := range d.Counts {
		if count < 0 {
			return web.Wrong("the count of item %d is %d: it cannot be negative", i, count)
		}
		if count > 0 {
			d.Items.ids[kept], d.Counts[kept] = d.Items.ids[i], count
			kept++
		}
	}
	d.Items.ids, d.Counts = d.Items.ids[:kept], d.Counts[:kept]
	return nil
}
