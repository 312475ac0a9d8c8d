// This file lets a person change the topics, step by step, and take steps back.

package explore

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"anchorage/internal/page"
	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/report"
	"anchorage/model/steer"
)

// steering is the session of a server. It begins with the first step, because it holds the factor in memory.
type steering struct {
	mu      sync.Mutex // one step at a time
	session *steer.Session
	saved   bool // the present model is at Options.Output
}

// steeringBody says what was done so far.
type steeringBody struct {
	Able   bool     `json:"able"`   // the model can be steered
	Steps  []string `json:"steps"`  // as lines of a script
	Output string   `json:"output"` // where Save writes; empty for nowhere
	Saved  bool     `json:"saved"`
	Usages []string `json:"usages"` // how steps are written
	// Changes compare the topics with those before any step.
	Changes []changeBody `json:"changes"`
}

func (s *Server) steeringBody(st *state) steeringBody {
	body := steeringBody{st.model.Anchors != nil, []string{}, pathName(s.opts.Output), s.steering.saved, steer.Usages(),
		[]changeBody{}}
	if s.steering.session != nil {
		for _, step := range s.steering.session.Script() {
			body.Steps = append(body.Steps, page.Cut(step.String(), 300))
		}
		body.Changes = changed(s.steering.session.Changes(st.model), s.first.model, st.model)
	}
	return body
}

// steered answers what was done so far.
func (s *Server) steered(st *state, _ *http.Request) (any, error) {
	s.steering.mu.Lock()
	defer s.steering.mu.Unlock()
	return s.steeringBody(st), nil
}

// stepRequest is a step with topics and items by their numbers, or as a line of a script.
type stepRequest struct {
	Line    string `json:"line"`
	Kind    string `json:"kind"`
	Topics  []int  `json:"topics"`
	New     bool   `json:"new"` // a seed makes a new topic
	Items   []int  `json:"items"`
	Name    string `json:"name"`
	Scope   string `json:"scope"`
	Version int    `json:"version"` // of the model that the numbers are of
}

// step returns the step of a request.
func (q *stepRequest) step(st *state) (steer.Step, error) {
	if q.Line != "" {
		return steer.ParseStep(q.Line)
	}
	if q.Version != st.version {
		return steer.Step{}, web.Problemf(http.StatusConflict, web.Malformed,
			"the model has changed meanwhile: load the page again")
	}
	step := steer.Step{Kind: steer.Kind(q.Kind), Name: q.Name, Scope: q.Scope}
	for _, k := range q.Topics {
		if k < 0 || k >= st.model.Topics() {
			return step, web.Problemf(http.StatusNotFound, web.NotFound, "there is no topic %d", k)
		}
		step.Topics = append(step.Topics, strconv.Itoa(st.model.TopicIDs[k]))
	}
	if q.New {
		step.Topics = []string{steer.NewTopic}
	}
	if err := st.checkItems(q.Items); err != nil {
		return step, err
	}
	for _, i := range q.Items {
		step.Items = append(step.Items, st.model.Vocabulary.ID(i))
	}
	return step, nil
}

// step makes a step.
func (s *Server) step(_ *state, r *http.Request, request stepRequest) (any, error) {
	return s.steer(r.Context(), func(ctx context.Context, st *state, session *steer.Session) error {
		step, err := request.step(st)
		if err != nil {
			return err
		}
		return session.Apply(ctx, step)
	})
}

// undo takes the last step back.
func (s *Server) undo(_ *state, r *http.Request, _ struct{}) (any, error) {
	return s.steer(r.Context(),
		func(ctx context.Context, _ *state, session *steer.Session) error { return session.Undo(ctx) })
}

// opened returns the session, which the caller has locked.
func (s *Server) opened(ctx context.Context) (_ *steer.Session, err error) {
	if s.steering.session == nil {
		s.steering.session, err = steer.Open(ctx, s.opts.Model, &fit.Run{Workers: s.opts.Workers})
	}
	return s.steering.session, err
}

// steer changes the session by fn and puts its model in the place of the one in use. After an error nothing has
// changed.
func (s *Server) steer(ctx context.Context, fn func(context.Context, *state, *steer.Session) error) (any, error) {
	s.steering.mu.Lock()
	defer s.steering.mu.Unlock()
	before := s.current.Load()
	session, err := s.opened(ctx)
	if err == nil {
		err = fn(ctx, before, session)
	}
	if err != nil {
		return nil, impossible(err)
	}
	m := session.Model()
	if m == before.model {
		return s.steeringBody(before), nil
	}
	next, err := s.show(m, before)
	if err != nil {
		return nil, err
	}
	s.steering.saved = false
	return s.steeringBody(next), nil
}

// impossible returns the problem of a step that cannot be made, or of what the model does not have, and other errors as
// they are.
func impossible(err error) error {
	var step *steer.Error
	var input *model.InputError
	if errors.As(err, &step) || errors.As(err, &input) {
		return web.Problemf(http.StatusUnprocessableEntity, web.Malformed, "%s", page.Cut(err.Error(), 500))
	}
	if errors.As(err, new(*model.UnknownItemError)) { // it was left out, and has no topics
		return web.Problemf(http.StatusNotFound, web.UnknownItem, "%s", page.Cut(err.Error(), 500))
	}
	return err
}

// save writes the present model to Options.Output, and nowhere else.
func (s *Server) save(_ *state, r *http.Request, _ struct{}) (any, error) {
	s.steering.mu.Lock()
	defer s.steering.mu.Unlock()
	switch {
	case s.opts.Output == "":
		return nil, web.Problemf(http.StatusConflict, web.Malformed, "anchorage explore was not told where to write")
	case s.steering.session == nil || len(s.steering.session.Script()) == 0:
		return nil, web.Problemf(http.StatusConflict, web.Malformed, "nothing was changed")
	}
	if err := s.saveSteered(r.Context()); err != nil {
		if errors.Is(err, model.ErrExists) {
			return nil, web.Problemf(http.StatusConflict, web.Malformed, "%s", page.Cut(err.Error(), 500))
		}
		return nil, err
	}
	s.steering.saved = true
	return s.steeringBody(s.current.Load()), nil
}

// saveSteered writes the model of the session, with its report.
func (s *Server) saveSteered(ctx context.Context) error {
	steered, err := s.steering.session.Fitted(ctx)
	if err != nil {
		return err
	}
	fitted := *steered // the session continues without the diagnostics
	if err := fitted.Add(ctx, nil, fit.Extras{Diagnose: true, Report: true}); err != nil {
		return err
	}
	out, err := model.Create(ctx, s.opts.Output, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	return fitted.SaveTo(out)
}

// script hands out the steps as a file, which anchorage steer reads.
func (s *Server) script(*state, *http.Request) (any, error) {
	s.steering.mu.Lock()
	defer s.steering.mu.Unlock()
	script := ""
	if s.steering.session != nil {
		script = s.steering.session.Script().String()
	}
	return web.Text(script, "Content-Type", "text/plain; charset=utf-8", "Content-Disposition",
		`attachment; filename="steer.txt"`), nil
}

// report answers with the report of the model as it is now. Its own policy is in it, with the hashes of its style and
// script.
func (s *Server) report(st *state, r *http.Request) (any, error) {
	var body strings.Builder
	err := report.Write(r.Context(), &body, st.model, s.reportOptions(st))
	return web.Text(body.String(), "Content-Type", "text/html; charset=utf-8", "Content-Security-Policy",
		"frame-ancestors 'none'"), err
}

// reportOptions say what is shown beside a model. Shares over time are those of the topics before any step.
func (s *Server) reportOptions(st *state) report.Options {
	o := report.Options{Compare: s.other, Workers: s.opts.Workers}
	if st == s.first {
		o.Trend = s.trend
	}
	return o
}
