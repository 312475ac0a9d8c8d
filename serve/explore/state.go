// This file holds what answers are made from.

package explore

import (
	"context"
	"fmt"
	"sync"

	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/report"
	"anchorage/model/transform"
)

// state is a model with what was made of it. A step of steering makes a new one, and nothing in it changes after that,
// so requests share it.
type state struct {
	model       *model.Model
	version     int // counts the models of a server
	names       *names
	transformer *transform.Transformer
	compared    func(ctx context.Context) (*drift.Drift, error)

	colouring sync.Mutex
	hues      []int // of topics, nil until somebody asks; see report.Hues

	once     sync.Once
	ofTopics [][]*kept // see documents
}

// colours returns the hue of each topic.
func (st *state) colours(ctx context.Context) (hues []int, err error) {
	st.colouring.Lock()
	defer st.colouring.Unlock()
	if st.hues == nil {
		st.hues, err = report.Hues(ctx, st.model, 0)
	}
	return st.hues, err
}

// show puts a model in the place of the one before, nil for none.
func (s *Server) show(m *model.Model, before *state) (*state, error) {
	next := &state{model: m, version: 1}
	if before != nil {
		next.version = before.version + 1
	}
	if before != nil && before.model.Vocabulary == m.Vocabulary {
		next.names = before.names
	} else {
		next.names = newNames(m)
	}
	var err error
	next.transformer, err = s.api.Use(m, fmt.Sprintf("version-%d", next.version))
	if err != nil {
		return nil, err
	}
	next.compared = s.comparing(m)
	s.current.Store(next)
	return next, nil
}
