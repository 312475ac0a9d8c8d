// This file answers with the topics of documents.

package serve

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"anchorage/internal/web"
	"anchorage/model"
)

// transformResponse is the answer of POST /v1/transform.
type transformResponse struct {
	Model     string        `json:"model"`
	Documents []mixtureBody `json:"documents"`
}

// mixtureBody is what the model says of a document. Without known tokens the mixture is that of the prior, and there is no likelihood.
type mixtureBody struct {
	ID            string      `json:"id"`
	Topics        []shareBody `json:"topics"`
	Mixture       []float32   `json:"mixture,omitempty"`
	Spread        float64     `json:"spread"`
	Known         int64       `json:"known"`
	Unknown       int64       `json:"unknown"`
	LogLikelihood *float64    `json:"log_likelihood,omitempty"`
}

type shareBody struct {
	Topic int     `json:"topic"`
	Share float64 `json:"share"`
}

// usualTop is how many topics an answer names if the request does not say it.
const usualTop = 5

// transform answers with the topics of every document.
func (s *Server) transform(from *loaded, w http.ResponseWriter, r *http.Request) error {
	request, err := s.readDocuments(r)
	if err != nil {
		return err
	}
	top := cmp.Or(request.Top, usualTop)
	body := transformResponse{from.id, make([]mixtureBody, len(request.Documents))}
	for i := range request.Documents {
		if err := r.Context().Err(); err != nil {
			return err
		}
		body.Documents[i] = from.mixture(&request.Documents[i], top, request.Mixture)
	}
	web.Answer(w, http.StatusOK, body)
	return nil
}

// mixture returns the topics of a document.
func (l *loaded) mixture(d *document, top int, whole bool) mixtureBody {
	var found model.DocumentTopics
	l.transformer.Transform(&found, d.Items.ids, d.Counts)
	body := mixtureBody{ID: d.ID, Topics: greatest(top, len(found.Mixture), func(k int) float64 { return float64(found.Mixture[k]) }),
		Spread: found.Deviation, Known: found.Known, Unknown: found.Unknown}
	if whole {
		body.Mixture = found.Mixture
	}
	if !math.IsNaN(found.LogLikelihood) {
		body.LogLikelihood = &found.LogLikelihood
	}
	return body
}

// greatest returns the count topics of the greatest shares, the greatest first.
func greatest(count, topics int, share func(k int) float64) []shareBody {
	all := make([]shareBody, topics)
	for k := range all {
		all[k] = shareBody{k, share(k)}
	}
	slices.SortStableFunc(all, func(a, b shareBody) int { return cmp.Compare(b.Share, a.Share) })
	return all[:min(count, topics)]
}
