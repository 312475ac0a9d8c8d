// This file answers with the topics of documents.

package serve

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"anchorage/model"
)

// transformResponse is the answer of POST /v1/transform.
type transformResponse struct {
	Model     string        `json:"model"`
	Documents []mixtureBody `json:"documents"`
}

// mixtureBody is what the model says of a document. Without known tokens the mixture is that of the prior, and there is
// no likelihood.
type mixtureBody struct {
	ID            string    `json:"id"`
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
	for i := range request.Documents {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		body.Documents[i] = from.mixture(&request.Documents[i], top, request.Mixture)
	}
	return body, nil
}

// mixture returns the topics of a document.
func (l *loaded) mixture(d *document, top int, whole bool) mixtureBody {
	var found model.DocumentTopics
	l.transformer.Transform(&found, d.Items.ids, d.Counts)
	shares := Shares(found.Mixture)
	body := mixtureBody{ID: d.ID, Topics: slices.Clone(shares[:min(top, len(shares))]), Spread: found.Deviation,
		Known: found.Known, Unknown: found.Unknown}
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
