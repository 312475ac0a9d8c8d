// This file answers with the topics of documents.

package serve

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"slices"

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
