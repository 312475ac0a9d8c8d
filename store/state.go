// This file reads and writes states, which say what counts in a store, and makes the generation of an earlier one the
// current one.

package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"time"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/internal/sealed"
	"anchorage/model"
)

// State says what counts in a store. The state with the highest number is the current one. A state is never changed.
type State struct {
	Layout  int       `json:"layout"`
	Program string    `json:"program"`
	Number  int       `json:"number"`
	Written time.Time `json:"written"`
	Token   string    `json:"token"` // unlike that of any other state
	// Options are those that the store was made with, or that were changed later, by name. The store does not interpret
	// them.
	Options map[string]string `json:"options"`
	// Files has the SHA-256 of the files that options name, by the name of the option.
	Files map[string]string `json:"option_files,omitempty"`
	// Shards are those that count, in the order of Less.
	Shards []Shard `json:"shards"`
	// RolledBack are those that rollbacks have taken out. Updates leave their contents out.
	RolledBack []Shard `json:"rolled_back,omitempty"`
	// Segments are the parts of the vocabulary, in order.
	Segments    []Segment    `json:"segments"`
	Generations []Generation `json:"generations"` // by number
	Generation  int          `json:"generation"`  // the number of the current one
}

// Shard is a shard of a store.
type Shard struct {
	Name      string    `json:"name"` // by which it is known; see NameOf
	Path      string    `json:"path"` // as it was given
	Size      int64     `json:"size"`
	Modified  time.Time `json:"modified,omitzero"`
	SHA256    string    `json:"sha256"`               // of the content; it names the folder
	Date      string    `json:"date,omitempty"`       // as 2006-01-02
	DateGiven bool      `json:"date_given,omitempty"` // it is not from the name
	Documents int64     `json:"documents"`
	Record    string    `json:"record_sha256"` // of shard.json
}

// Generation is a model of a store.
type Generation struct {
	Number    int   `json:"number"`
	State     int   `json:"state"`            // the state that it came with
	Before    int   `json:"before,omitempty"` // the generation that was current until then
	Shards    int   `json:"shards"`
	Documents int64 `json:"documents"`
	Items     int   `json:"items"`
	Topics    int   `json:"topics"`
	// NextTopicID is the least id that no topic has had up to it.
	NextTopicID int    `json:"next_topic_id,omitempty"`
	From        string `json:"from,omitempty"` // the date of the first shard
	To          string `json:"to,omitempty"`   // and of the last
	Manifest    string `json:"manifest_sha256"`
}

// Less is the order in which shard.Discover lists files: folder by folder, each in the order of the names in it.
func Less(a, b string) int {
	if objects.IsURL(a) || objects.IsURL(b) {
		return strings.Compare(a, b)
	}
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// generation returns the generation of a number, nil if there is none.
func (s *State) generation(number int) *Generation {
	at := slices.IndexFunc(s.Generations, func(g Generation) bool { return g.Number == number })
	if at < 0 {
		return nil
	}
	return &s.Generations[at]
}

// without returns the shards whose content none of others has.
func without(shards, others []Shard) []Shard {
	return slices.DeleteFunc(slices.Clone(shards), func(s Shard) bool { return hasContent(others, s.SHA256) })
}

// hasContent reports whether one of some shards has a content.
func hasContent(shards []Shard, sha256 string) bool {
	return slices.ContainsFunc(shards, func(s Shard) bool { return s.SHA256 == sha256 })
}

// states yields the current state, and those that came with its generations, each once.
func (s *Store) states(ctx context.Context) iter.Seq2[*State, error] {
	return func(yield func(*State, error) bool) {
		seen := map[int]bool{s.State.Number: true}
		more := yield(s.State, nil)
		for _, g := range s.State.Generations {
			if more && !seen[g.State] {
				seen[g.State] = true
				more = yield(readState(ctx, s.Path, g.State))
			}
		}
	}
}

// readState reads the state of a number.
func readState(ctx context.Context, root string, number int) (*State, error) {
	path := objects.Join(objects.Join(root, statesFolder), numbered(number, ".json"))
	data, err := objects.ReadFile(ctx, path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &Error{Path: path, Fault: Damaged, Reason: "is missing", Err: err}
		}
		return nil, err
	}
	text, has, err := sealed.Open(data)
	if err != nil || !has {
		return nil, damaged(path, "its checksum is missing or wrong")
	}
	state := new(State)
	if err := json.Unmarshal(text, state); err != nil {
		return nil, damaged(path, "%v", err)
	}
	switch {
	case state.Layout != layoutVersion:
		return nil, otherLayout(path, state.Layout)
	case state.Number != number:
		return nil, damaged(path, "it is state %d", state.Number)
	}
	return state, nil
}

// writeState writes a state under its number. The error is an *Error with the fault Outdated if there is one already.
func writeState(ctx context.Context, root string, state *State, warn objects.Warn) error {
	state.Layout, state.Program = layoutVersion, model.Version
	state.Written, state.Token = time.Now().UTC().Truncate(time.Second), rand.Text()
	content, err := sealed.Encode(state)
	if err != nil {
		return err
	}
	path := objects.Join(objects.Join(root, statesFolder), numbered(state.Number, ".json"))
	err = putNew(ctx, path, content, warn)
	if errors.Is(err, durable.ErrExists) {
		return &Error{Path: root, Fault: Outdated, Reason: "was updated by another run meanwhile",
			Err: fmt.Errorf("%w: %w", durable.ErrLocked, err)}
	}
	return err
}

// earlier returns the generation that one took the place of, which leaves out those that a rollback left behind; if it
// is not retained, the latest before that one; 0 if there is none.
func (s *State) earlier(than int) (number int) {
	if at := s.generation(than); at != nil && at.Before < than && s.generation(at.Before) != nil {
		return at.Before
	}
	for _, g := range s.Generations {
		if g.Number < than {
			number = g.Number
		}
	}
	return number
}

// Rollback makes the generation of a number the current one, with the shards and options that it was made of; 0 means
// the nearest before the current one that is not damaged. It writes a new state: later generations stay, as long as
// they are retained. Updates leave out the shards that the rollback takes out, unless PlanOptions.Again is set or their
// content has changed. If the writer passed over a damaged state, 0 means the generation of the state before that.
func (w *Writer) Rollback(ctx context.Context, number int) (*Generation, error) {
	chosen, to := number > 0, number
	if !chosen {
		if to = w.State.Generation; !w.passed {
			to = w.State.earlier(to)
		}
	}
	whole := ""
	for {
		g := w.State.generation(to)
		switch {
		case g == nil && !chosen:
			return nil, &Error{Path: w.Path, Fault: NoGeneration, Reason: "has no generation before the current one" + whole}
		case g == nil:
			return nil, &Error{Path: w.Path, Fault: NoGeneration, Reason: fmt.Sprintf("has no generation %d", number)}
		}
		v := &verification{store: &w.Store}
		v.generation(ctx, g)
		if err := cmp.Or(ctx.Err(), v.denied); err != nil {
			return nil, err
		}
		if len(v.found.Problems) == 0 {
			return w.rollback(ctx, g)
		}
		problem := v.found.Problems[0]
		damage := &Error{Path: problem.Path, Fault: Damaged, Reason: problem.Reason}
		if chosen {
			return nil, damage
		}
		w.options.Log.Warn("a generation is damaged, and passed over", "generation", to, "error", damage)
		to, whole = w.State.earlier(to), " that is whole"
	}
}

// rollback makes a generation the current one.
func (w *Writer) rollback(ctx context.Context, g *Generation) (*Generation, error) {
	number := g.Number
	then, err := readState(ctx, w.Path, g.State)
	if err != nil {
		return nil, err
	}
	next, err := w.nextState(ctx)
	if err != nil {
		return nil, err
	}
	next.Options, next.Files, next.Shards, next.Generation = then.Options, then.Files, then.Shards, number
	next.RolledBack = without(append(next.RolledBack, without(w.State.Shards, next.RolledBack)...), then.Shards)
	ctx = context.WithoutCancel(ctx)
	if err := writeState(ctx, w.Path, next, w.options.Warn); err != nil {
		return nil, err
	}
	w.State = next
	w.tidy(ctx)
	return g, nil
}
