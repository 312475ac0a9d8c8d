// This file reads the documents of a request, and answers with their topics.

package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"

	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/transform"
)

// transformResponse is the answer of POST /v1/transform.
type transformResponse struct {
	Model     string        `json:"model"`
	Documents []mixtureBody `json:"documents"`
}

// mixtureBody is what the model says of a document. An empty document has the mixture of the prior, and no likelihood.
// One of whose items the model has none has no topics; Problem says so.
type mixtureBody struct {
	ID            string    `json:"id"`
	Problem       string    `json:"problem,omitempty"`
	Topics        []Share   `json:"topics"`
	Mixture       []float32 `json:"mixture,omitempty"`
	Spread        float64   `json:"spread"`
	Known         int64     `json:"known"`
	Unknown       int64     `json:"unknown"`
	LogLikelihood *float64  `json:"log_likelihood,omitempty"`
}

// Share is a topic's share in an answer.
type Share struct {
	Topic int     `json:"topic"`
	Share float64 `json:"share"`
}

// usualTop is how many topics an answer names if the request does not say it.
const usualTop = 5

// transform answers with the topics of every document.
func (s *Server) transform(from *loaded, r *http.Request) (any, error) {
	request, err := s.readDocuments(r)
	if err != nil {
		return nil, err
	}
	top := cmp.Or(request.Top, usualTop)
	body := transformResponse{from.id, make([]mixtureBody, len(request.Documents))}
	known, stranger := false, (*document)(nil)
	for i := range request.Documents {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		one := &request.Documents[i]
		body.Documents[i] = from.mixture(one, top, request.Mixture)
		if known = known || body.Documents[i].Known > 0; body.Documents[i].Problem != "" && stranger == nil {
			stranger = one
		}
	}
	if !known && stranger != nil {
		return nil, from.noneKnown(stranger.Items.ids)
	}
	return body, nil
}

// noneKnown is the problem of a request without any item that the model has.
func (l *loaded) noneKnown(ids []string) error {
	p := web.Problemf(http.StatusUnprocessableEntity, web.NoneKnown,
		"the model has none of the items, such as %.60q: are they ids of the kind that it was learned from?", ids[0])
	var unknown *model.UnknownItemError
	if _, err := l.model.Index(ids[0]); errors.As(err, &unknown) {
		p.Suggestions = unknown.Suggestions
	}
	return p
}

// mixture returns the topics of a document.
func (l *loaded) mixture(d *document, top int, whole bool) mixtureBody {
	var found transform.DocumentTopics
	l.transformer.Transform(&found, d.Items.ids, d.Counts)
	if found.Known == 0 && found.Unknown > 0 {
		return mixtureBody{ID: d.ID, Problem: "the model has none of its items", Topics: []Share{}, Unknown: found.Unknown}
	}
	shares := Shares(found.Mixture)
	body := mixtureBody{ID: d.ID, Topics: slices.Clone(shares[:min(top, len(shares))]), Spread: found.Deviation,
		Known: found.Known, Unknown: found.Unknown}
	for at := range body.Topics {
		body.Topics[at].Topic = l.model.TopicIDs[body.Topics[at].Topic]
	}
	if whole {
		body.Mixture = found.Mixture
	}
	if !math.IsNaN(found.LogLikelihood) {
		body.LogLikelihood = &found.LogLikelihood
	}
	return body
}

// Shares returns a mixture, the greatest share first.
func Shares(mixture []float32) []Share {
	all := make([]Share, len(mixture))
	for k, share := range mixture {
		all[k] = Share{k, float64(share)}
	}
	slices.SortStableFunc(all, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

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
