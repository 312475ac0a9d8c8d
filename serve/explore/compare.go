// This file compares the model with another one.

package explore

import (
	"cmp"
	"context"
	"net/http"
	"sync"

	"anchorage/internal/page"
	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/drift"
)

// comparing returns a function that says what became of the topics of the other model, which counts as the earlier one.
// It compares once, unless that fails.
func (s *Server) comparing(m *model.Model) func(context.Context) (*drift.Drift, error) {
	var mu sync.Mutex
	var found *drift.Drift
	return func(ctx context.Context) (_ *drift.Drift, err error) {
		mu.Lock()
		defer mu.Unlock()
		if found == nil {
			found, err = m.Compare(ctx, s.other, drift.Options{Workers: s.opts.Workers})
		}
		return found, err
	}
}

// comparedBody is two models side by side.
type comparedBody struct {
	Summary drift.Summary `json:"summary"`
	Text    string        `json:"text"` // the summary in a line
	Topics  []pairBody    `json:"topics"`
}

// pairBody is a topic of either model or of both.
type pairBody struct {
	Kind     drift.Kind  `json:"kind"`
	Then     *topicBody  `json:"then"` // of the other model; null if it is new
	Now      *topicBody  `json:"now"`  // of the model; null if it is gone
	Distance float64     `json:"distance"`
	Risen    []movedBody `json:"risen"`
	Fallen   []movedBody `json:"fallen"`
}

// movedBody is an item whose p(item | topic) differs.
type movedBody struct {
	Name string  `json:"name"`
	Then float64 `json:"then"`
	Now  float64 `json:"now"`
}

func (s *Server) comparison(st *state, r *http.Request) (any, error) {
	if s.other == nil {
		return nil, web.Problemf(http.StatusNotFound, web.NotFound, "there is no other model to compare with")
	}
	drift, err := st.compared(r.Context())
	if err != nil {
		return nil, err
	}
	body := comparedBody{drift.Summary, drift.Summary.String(), make([]pairBody, len(drift.Topics))}
	for at, t := range drift.Topics {
		pair := pairBody{Kind: t.Kind, Distance: t.Distance, Risen: moved(t.Risen), Fallen: moved(t.Fallen)}
		if t.Then >= 0 {
			then := topicBodyOf(s.other, t.Then, 10)
			pair.Then = &then
		}
		if t.Now >= 0 {
			now := topicBodyOf(st.model, t.Now, 10)
			pair.Now = &now
		}
		body.Topics[at] = pair
	}
	return body, nil
}

func moved(list []drift.Item) []movedBody {
	body := make([]movedBody, len(list))
	for at, item := range list {
		body[at] = movedBody{page.Name(cmp.Or(item.Name, item.Item)), item.Then, item.Now}
	}
	return body
}
