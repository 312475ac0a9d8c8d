// This file holds a session: a model, the steps that were applied to it, and how they are taken back.

package steer

import (
	"context"
	"slices"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/corpus"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
)

// Session changes the topics of a model step by step.
type Session struct {
	base      *base
	run       *fit.Run
	first     *anchor.Hull // of the model before any step
	script    Script
	history   []*state // before the first step, after it, and so on; the last is the present one
	previewed preview
}

// preview is a state that a step would make of another.
type preview struct {
	from, to *state
	step     Step
	text     string // of the step as it was asked for
}

// state is what the steps so far have made of a model. A state does not change: a step works on a copy.
type state struct {
	hull    *anchor.Hull
	topics  []topic
	heir    []int // of each topic of the model: the position of the topic that it belongs to now
	nextID  int
	banned  map[int]bool // items that are no anchors
	hidden  map[int]bool // items that no list shows
	removed map[int]bool
	// Of a state whose model is known.
	kept     []int32      // the items that remain, increasing; nil for all
	mixtures *matrix.Tall // N×K: row i is p(topic | item i), for all items, also those that do not remain
	joint    []float64    // A of whole documents, K×K
	flow     []float64    // see mixer.mixtures
	fitted   *fit.Fitted
	model    *model.Model
}

// topic is a topic of a state.
type topic struct {
	id      int
	name    string
	corners []int // its corners in the hull
	anchor  int
	of      int // the topic of the model that has the same anchor, −1 if none has
	pinned  bool
	seed    []int // the items whose mean row is the corner; nil for others
	pivot   float64
	margin  float64
	beside  []model.Listed // the items that occur most beside the anchor
}

// besideItems is how many items are kept that occur most beside an anchor, so that enough are left when some are banned
// or removed.
const besideItems = 5 * model.TopItems

// Open begins a session with a model: a directory or the URL of one. run may be nil. The error is an *model.InputError,
// with the fault NoFactor for a model without anchors and a factor, or a *shard.Error for a table that cannot be read.
func Open(ctx context.Context, path string, run *fit.Run) (*Session, error) {
	if run == nil {
		run = new(fit.Run)
	}
	of, err := load(ctx, path, run)
	if err != nil {
		return nil, err
	}
	s := &Session{base: of, run: run}
	return s, s.begin(ctx)
}

// belongs is the share of a topic in an item's mixture from which on the item belongs to it; see package anchor.
const belongs = 0.6

// least is the least share of a topic with which a mixture is solved first.
const least = 0.02

// begin makes the state before the first step.
func (s *Session) begin(ctx context.Context) error {
	m := s.base
	k := m.Topics()
	means, _, err := m.Rows.Means(ctx, k, func(i int) int {
		if m.Rows.Weight(i) > 0 {
			return slices.IndexFunc(m.Mixtures.Row(i), func(share float64) bool { return share >= belongs })
		}
		return -1
	})
	if err != nil {
		return err
	}
	for topic, mean := range means {
		if mean == nil { // no item belongs to it
			if means[topic], err = m.Rows.Tandem(ctx, m.Anchors[topic:topic+1]); err != nil {
				return err
			}
		}
		if means[topic] == nil {
			means[topic] = make([]float64, m.Rows.Width())
		}
	}
	s.first, err = anchor.NewHull(ctx, m.Rows, means, func(dst []float64, i int) {
		for k, share := range m.Mixtures.Row(i) {
			if share >= least {
				dst[k] = share
			}
		}
	})
	if err != nil {
		return err
	}
	at := &state{hull: s.first, nextID: k, banned: map[int]bool{}, hidden: map[int]bool{}, removed: map[int]bool{},
		model: m.Model}
	for t, item := range m.Anchors {
		at.heir = append(at.heir, t)
		at.nextID = max(at.nextID, m.TopicIDs[t]+1, m.Manifest.NextTopicID)
		at.topics = append(at.topics, topic{id: m.TopicIDs[t], corners: []int{t}, anchor: item, of: t, pivot: m.Pivots[t],
			margin: m.Margins[t], beside: m.Characteristic[t]})
		if m.TopicNames != nil {
			at.topics[t].name = m.TopicNames[t]
		}
	}
	s.recall(at)
	s.history = []*state{at}
	return nil
}

// recall takes over what is wanted of a model that was steered before.
func (s *Session) recall(at *state) {
	record := s.base.Manifest.Wishes
	if record == nil {
		return
	}
	known := func(ids []string) (items []int) {
		for _, id := range ids {
			if i, err := s.base.Index(id); err == nil {
				items = append(items, i)
			}
		}
		return items
	}
	for _, i := range known(record.BannedAnchors) {
		at.banned[i] = true
	}
	for _, i := range known(record.BannedItems) {
		at.hidden[i] = true
	}
	for _, wish := range record.Topics {
		if t := slices.IndexFunc(at.topics, func(t topic) bool { return t.id == wish.ID }); t >= 0 {
			at.topics[t].pinned, at.topics[t].seed = wish.Pinned, known(wish.Seed)
		}
	}
}

// now returns the present state.
func (s *Session) now() *state { return s.history[len(s.history)-1] }

// Apply makes a step. The error is an *Error if the step is impossible, or that of ctx; the session is then as it was.
func (s *Session) Apply(ctx context.Context, step Step) error { return s.Run(ctx, Script{step}) }

// Run makes all steps of a script, and computes the model only after the last. The error is that of the first
// impossible step; the session is then as it was.
func (s *Session) Run(ctx context.Context, script Script) error {
	states, all := slices.Clone(s.history), slices.Clone(s.script)
	at, ready := s.now(), s.previewed
	s.previewed = preview{}
	if ready.from == at && ready.text == script.String() {
		all, states, at, script = append(all, ready.step), append(states, ready.to), ready.to, nil
	}
	for i := range script {
		if err := script[i].check(); err != nil {
			return err
		}
		next := at.clone()
		if err := s.change(ctx, next, &script[i]); err != nil {
			return err
		}
		all, states, at = append(all, script[i]), append(states, next), next
	}
	if at == s.now() {
		return nil
	}
	if at.model == nil {
		if err := s.complete(ctx, at, all, s.now()); err != nil {
			return err
		}
	}
	for _, earlier := range states[1 : len(states)-1] { // Undo computes their models again
		earlier.forget()
	}
	s.history, s.script = states, all
	return nil
}

// Preview returns the model that a step would make, and what would change of the topics of the present one. The session
// is as it was; only, if Apply is asked for the same step next, it has it already. The errors are those of Apply.
func (s *Session) Preview(ctx context.Context, step Step) ([]Change, *model.Model, error) {
	next := preview{s.now(), s.now().clone(), step, Script{step}.String()}
	err := step.check()
	if err == nil {
		err = s.change(ctx, next.to, &next.step)
	}
	if err == nil {
		err = s.complete(ctx, next.to, append(slices.Clone(s.script), next.step), next.from)
	}
	if err != nil {
		return nil, nil, err
	}
	s.previewed = next
	return s.changes(next.from, next.to, next.to.model), next.to.model, nil
}

// Undo takes the last step back. Without steps it does nothing. The error is that of ctx.
func (s *Session) Undo(ctx context.Context) error {
	if len(s.script) == 0 {
		return nil
	}
	script := s.script[:len(s.script)-1]
	at := s.history[len(s.history)-2]
	if at.model == nil {
		if err := s.complete(ctx, at, script, s.now()); err != nil {
			return err
		}
	}
	s.script, s.history = script[:len(script):len(script)], s.history[:len(s.history)-1]
	return nil
}

// Script returns the steps that were made.
func (s *Session) Script() Script { return slices.Clone(s.script) }

// Model returns the present model. Its B is computed again for every step; Items of the model before the first step is
// that of the directory.
func (s *Session) Model() *model.Model { return s.now().model }

// Fitted returns the present model as a fit would, with the factor and all that Save writes, and nil before the first
// step.
func (s *Session) Fitted(ctx context.Context) (*fit.Fitted, error) {
	at := s.now()
	if at.fitted == nil {
		return nil, nil
	}
	return at.fitted, s.addFactor(ctx, at)
}

// Save writes the present model as a directory at path, which may be a URL of an object store. The directory appears
// complete or not at all. The error wraps model.ErrExists if path exists.
func (s *Session) Save(ctx context.Context, path string) error {
	out, err := s.run.Create(ctx, path)
	if err != nil {
		return err
	}
	defer out.Abort()
	fitted, err := s.ready(ctx)
	if err != nil {
		return err
	}
	return fitted.SaveTo(out)
}

// ready is Fitted, also before the first step.
func (s *Session) ready(ctx context.Context) (*fit.Fitted, error) {
	if at := s.now(); at.fitted == nil {
		if err := s.complete(ctx, at, s.script, nil); err != nil {
			return nil, err
		}
	}
	return s.Fitted(ctx)
}

// Refine improves the topics by the likelihood of the documents of a corpus, whose items must be those of the model, in
// their order; see fit.Fitted.Refine. Topics that were refined before are refined again, from what the steps made of
// them. No step can follow: the refined model is for SaveTo of the result. The error is that of Refine.
func (s *Session) Refine(ctx context.Context, docs *corpus.Corpus, opts fit.Options) (*fit.Fitted, error) {
	fitted, err := s.ready(ctx)
	if err != nil {
		return nil, err
	}
	if docs.Vocabulary.Fingerprint() != fitted.Vocabulary.Fingerprint() {
		panic("steer: the corpus has another vocabulary than the model")
	}
	opts.Topics = fitted.Topics.K
	if before := fitted.Manifest.Refine; before != nil {
		if opts.Refine.For == "" || opts.Refine.For == refine.ForAuto {
			opts.Refine.For = before.For
		}
		fitted.Manifest.Refine = nil
	}
	return fitted, fitted.Refine(ctx, docs, opts)
}
