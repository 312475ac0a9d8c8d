// This file holds what answers are made from.

package explore

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/serve"
)

// state is a model with what was made of it. A step of steering makes a new one, and nothing in it changes after that, so requests share it.
type state struct {
	model       *model.Model
	version     int // counts the models of a server
	names       *names
	orders      orders
	transformer *model.Transformer
	api         http.Handler // package serve's, of the same model
	compared    func() (*drift.Drift, error)

	once     sync.Once
	ofTopics [][]*kept // see documents
}

// newState prepares a model. names may be those of an earlier state with the same vocabulary, or nil.
func (s *Server) newState(m *model.Model, version int, before *state) (*state, error) {
	st := &state{model: m, version: version}
	if before != nil && before.model.Vocabulary == m.Vocabulary {
		st.names = before.names
	} else {
		st.names = newNames(m)
	}
	api, err := serve.Of(m, fmt.Sprintf("version-%d", version), serve.Options{Hosts: s.opts.Hosts, Log: s.opts.Log})
	if err != nil {
		return nil, err
	}
	st.api, st.transformer = api.Handler(), api.Transformer()
	st.compared = sync.OnceValues(func() (*drift.Drift, error) { return s.compare(m) })
	return st, nil
}

// warm reads what questions about items need, so that the first person who does need not wait for the factor to be read. What goes wrong is told to
// that person.
func (st *state) warm() {
	_ = st.model.Prepare(context.Background())
}
