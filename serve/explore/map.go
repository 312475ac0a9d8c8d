// This file hands out the map of all items, piece by piece, and says what a step would change.

package explore

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"net/http"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/internal/objects"
	"anchorage/internal/page"
	"anchorage/internal/web"
	"anchorage/model"
	"anchorage/model/itemmap"
	"anchorage/model/steer"
)

// mapBody says what the map has. Without one, Problem says why and Command what makes it.
type mapBody struct {
	Items   int         `json:"items"`
	Chunk   int         `json:"chunk"`  // items of each piece but the last
	Of      string      `json:"of"`     // changes when the map is drawn again
	Levels  []levelBody `json:"levels"` // the coarser ones, the coarsest first
	Problem string      `json:"problem,omitempty"`
	Command string      `json:"command,omitempty"`
}

// levelBody is a coarser level: the names of its topics, and the one that most of each topic of the model belongs to.
type levelBody struct {
	Names []string `json:"names"`
	Of    []int    `json:"of"`
}

// places returns the map of the model as it was loaded, and the hash of its file. It is read once, and again if fresh
// asks for the file as it is now and that has changed.
func (s *Server) places(ctx context.Context, fresh bool) (_ *itemmap.Map, of string, err error) {
	s.mapping.Lock()
	defer s.mapping.Unlock()
	if fresh || s.mapped == nil {
		sum, _, _ := objects.Digest(ctx, objects.Join(s.opts.Model, itemmap.File)) // Open says what is wrong
		if sum != s.mappedOf {
			s.mapped, s.mappedOf = nil, sum
		}
	}
	if s.mapped == nil {
		s.mapped, err = itemmap.Open(ctx, s.first.model)
	}
	return s.mapped, s.mappedOf, err
}

// mapAbout says what the map has.
func (s *Server) mapAbout(st *state, r *http.Request) (any, error) {
	places, of, err := s.places(r.Context(), true)
	body := mapBody{Chunk: itemmap.TileItems, Of: of, Levels: []levelBody{}}
	if errors.As(err, new(*model.InputError)) {
		body.Problem, body.Command = "This model has no map yet.", "anchorage map "+page.Cut(s.opts.Model, 200)
		if !errors.Is(err, fs.ErrNotExist) {
			body.Problem = page.Cut(err.Error(), 300)
		}
		return body, nil
	}
	if err != nil {
		return nil, err
	}
	body.Items = len(places.Items)
	first := s.first.model
	all, err := first.AllLevels(r.Context())
	if len(all) < 2 {
		return body, err
	}
	above := topicsIn(first, st.model)
	for l := len(all) - 2; l >= 0; l-- {
		level := levelBody{Of: make([]int, len(above))}
		for k, child := range above {
			level.Of[k], _ = first.Levels[l+1].Parent(child)
		}
		above = level.Of
		for k := range all[l].Topics() {
			level.Names = append(level.Names, page.Cut(all[l].TopicName(k), 120))
		}
		body.Levels = slices.Insert(body.Levels, 0, level)
	}
	return body, err
}

// topicsIn returns the topic of an earlier model that has most of the tokens of each topic of m. Steps leave the levels
// of the earlier one as they are.
func topicsIn(earlier, m *model.Model) []int {
	tokens, before := make([][]float64, m.Topics()), earlier.Topics()
	for k := range tokens {
		tokens[k] = make([]float64, before)
	}
	for i, p := range m.Probability {
		if was, known := earlier.Vocabulary.Lookup([]byte(m.Vocabulary.ID(i))); known {
			tokens[m.TopTopic(i)][earlier.TopTopic(int(was))] += p
		}
	}
	of := make([]int, len(tokens))
	for k := range of {
		of[k] = floats.MaxIdx(tokens[k])
	}
	return of
}

// The bits of the last byte of an item of a piece.
const (
	littleKnown = 1 << iota // see model.Uncertain
	lostTopic               // other documents would not give its topic again; see model.Certificate.Lost
)

// mapChunk answers with a piece of the map, little-endian: for n items, those of the most evidence in the first piece,
// x and y as n float32 each, n numbers of items as uint32, n main topics as uint16, n shares of them and n values of
// reliability as uint8 from 0 to 255, and n bytes of bits. Items that a step has removed are left out. With of=HASH,
// a piece of another map is an error.
func (s *Server) mapChunk(st *state, r *http.Request) (any, error) {
	places, of, err := s.places(r.Context(), false)
	if err != nil {
		return nil, web.Problemf(http.StatusNotFound, web.NotFound, "there is no map: %s", page.Cut(err.Error(), 300))
	}
	if asked := r.URL.Query().Get("of"); asked != "" && asked != of {
		const says = "the map was drawn again: load this page again"
		return nil, web.Problemf(http.StatusNotFound, web.NotFound, says)
	}
	chunk, err := numbered(r, "chunk", (len(places.Items)+itemmap.TileItems-1)/itemmap.TileItems)
	if err != nil {
		return nil, err
	}
	m := st.model
	var lost []int
	if c := m.Manifest.Certificate; c != nil {
		lost = c.Lost
	}
	var xs, ys, items, topics, shares, reliability, bits []byte
	end := min((chunk+1)*itemmap.TileItems, len(places.Items))
	for at := chunk * itemmap.TileItems; at < end; at++ {
		i, known := int(places.Items[at]), true
		if m.Vocabulary != s.first.model.Vocabulary {
			now, there := m.Vocabulary.Lookup([]byte(s.first.model.Vocabulary.ID(i)))
			i, known = int(now), there
		}
		if !known {
			continue
		}
		top := int(m.TopTopic(i))
		xs = binary.LittleEndian.AppendUint32(xs, math.Float32bits(places.X[at]))
		ys = binary.LittleEndian.AppendUint32(ys, math.Float32bits(places.Y[at]))
		items = binary.LittleEndian.AppendUint32(items, uint32(i))
		topics = binary.LittleEndian.AppendUint16(topics, uint16(top))
		shares = append(shares, byte(math.Round(255*min(max(m.Mixtures.Row(i)[top], 0), 1))))
		reliability = append(reliability, byte(math.Round(255*min(max(m.ReliabilityOf(i), 0), 1))))
		bit := byte(0)
		if m.Uncertain(i) {
			bit |= littleKnown
		}
		if slices.Contains(lost, top) {
			bit |= lostTopic
		}
		bits = append(bits, bit)
	}
	body := slices.Concat(xs, ys, items, topics, shares, reliability, bits)
	return web.Text(string(body), "Content-Type", "application/octet-stream"), nil
}

// mapNames answers with what items of the map are, at most maxItems of them.
func mapNames(st *state, _ *http.Request, request struct {
	Items []int `json:"items"`
}) (any, error) {
	if err := st.checkItems(request.Items); err != nil {
		return nil, err
	}
	rows := make([]itemBody, len(request.Items))
	for at, i := range request.Items {
		rows[at] = st.itemBody(i)
	}
	return rows, nil
}

// changeBody is what steps make of a topic: gone, new, moved or same.
type changeBody struct {
	ID       int          `json:"id"`
	Name     string       `json:"name"`
	What     string       `json:"what"`
	Distance float64      `json:"distance"` // of p(item | topic), after Hellinger; from 0 to 1
	Before   float64      `json:"before"`   // the shares
	After    float64      `json:"after"`
	Was      []listedBody `json:"was"` // the prominent items
	Is       []listedBody `json:"is"`
}

// preview says what a step would change of the topics, without making it.
func (s *Server) preview(_ *state, r *http.Request, request stepRequest) (any, error) {
	s.steering.mu.Lock()
	defer s.steering.mu.Unlock()
	st := s.current.Load()
	step, err := request.step(st)
	if err != nil {
		return nil, impossible(err)
	}
	session, err := s.opened(r.Context())
	if err != nil {
		return nil, impossible(err)
	}
	changes, would, err := session.Preview(r.Context(), step)
	return changed(changes, st.model, would), impossible(err)
}

// changed returns what became of the topics of a model.
func changed(changes []steer.Change, before, now *model.Model) []changeBody {
	list := make([]changeBody, len(changes))
	for at, c := range changes {
		list[at] = changeBody{c.ID, "", c.What(), c.Distance, c.ShareBefore, c.Share, []listedBody{}, []listedBody{}}
		if k := c.Before; k >= 0 {
			list[at].Name, list[at].Was = page.Cut(before.TopicName(k), 120), listed(before, before.Prominent[k], 5)
		}
		if k := c.Now; k >= 0 {
			list[at].Name, list[at].Is = page.Cut(now.TopicName(k), 120), listed(now, now.Prominent[k], 5)
		}
	}
	return list
}
