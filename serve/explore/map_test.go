package explore

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/model"
	"anchorage/model/itemmap"
	"anchorage/model/steer"
)

// point is an item of a piece of the map.
type point struct {
	x, y              float32
	item, topic       int
	share, sure, bits byte
}

// pieceOf reads a piece of the map as the page does.
func pieceOf(t *testing.T, body []byte) []point {
	t.Helper()
	const size = 17
	if len(body)%size != 0 {
		t.Fatalf("a piece has %d bytes", len(body))
	}
	n := len(body) / size
	points := make([]point, n)
	for j := range points {
		number := func(from int) uint32 { return binary.LittleEndian.Uint32(body[from*n+4*j:]) }
		points[j] = point{math.Float32frombits(number(0)), math.Float32frombits(number(4)), int(number(8)),
			int(binary.LittleEndian.Uint16(body[12*n+2*j:])), body[14*n+j], body[15*n+j], body[16*n+j]}
	}
	return points
}

// mapped draws the map of the model of a server.
func mapped(t *testing.T, s *Server) *itemmap.Map {
	t.Helper()
	m := s.first.model
	drawn, err := itemmap.Draw(t.Context(), m, itemmap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := drawn.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	return drawn
}

// The page is told which command draws a map, until there is one, and also where the file is that of another model.
// Then it gets every item where the map has it.
func TestMap(t *testing.T) {
	s := exploring(t, nil)
	missing := asked[mapBody](t, s, "GET", "/api/map", "")
	if missing.Items != 0 || missing.Command != "anchorage map "+s.opts.Model || missing.Problem == "" {
		t.Errorf("without a map: %+v", missing)
	}
	if w := ask(s, "GET", "/api/map/chunks/0", ""); w.Code != 404 || !strings.Contains(w.Body.String(), "no map") {
		t.Errorf("without a map: %d %s", w.Code, w.Body)
	}
	other := exploring(t, nil)
	mapped(t, other)
	foreign := filepath.Join(s.opts.Model, itemmap.File)
	text, err := os.ReadFile(filepath.Join(other.opts.Model, itemmap.File))
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(foreign, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if broken := asked[mapBody](t, s, "GET", "/api/map", ""); broken.Items != 0 || broken.Command == "" ||
		!strings.Contains(broken.Problem, itemmap.File) {
		t.Errorf("with a broken map: %+v", broken)
	}
	want, m := mapped(t, s), s.first.model
	m.Manifest.Certificate = &model.Certificate{Lost: []int{2}}
	if about := asked[mapBody](t, s, "GET", "/api/map", ""); about.Items != len(want.Items) || about.Problem != "" ||
		about.Chunk != itemmap.TileItems || len(about.Levels) != 0 {
		t.Errorf("with a map: %+v", about)
	}
	w := ask(s, "GET", "/api/map/chunks/0", "")
	points := pieceOf(t, w.Body.Bytes())
	if w.Code != 200 || len(points) != m.Vocabulary.Len() || w.Header().Get("Content-Type") != "application/octet-stream" {
		t.Fatalf("%d items, %v", len(points), w.Header())
	}
	for j, p := range points {
		top, bits := int(m.TopTopic(p.item)), byte(0)
		if m.Uncertain(p.item) {
			bits |= littleKnown
		}
		if top == 2 {
			bits |= lostTopic
		}
		if p.item != int(want.Items[j]) || p.x != want.X[j] || p.y != want.Y[j] || p.topic != top || p.bits != bits ||
			math.Abs(float64(p.share)/255-m.Mixtures.Row(p.item)[top]) > 0.5/255 ||
			math.Abs(float64(p.sure)/255-m.ReliabilityOf(p.item)) > 0.5/255 {
			t.Errorf("item %d: %+v", j, p)
		}
	}
	// A map that is drawn again is noticed, and its pieces are not mixed with those of the one before.
	before := asked[mapBody](t, s, "GET", "/api/map", "").Of
	for j := range want.X {
		want.X[j] = -want.X[j]
	}
	if err := want.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	now := asked[mapBody](t, s, "GET", "/api/map", "").Of
	if w := ask(s, "GET", "/api/map/chunks/0?of="+before, ""); w.Code != 404 || !strings.Contains(w.Body.String(), "again") {
		t.Errorf("a piece of the map before: %d", w.Code)
	}
	again := ask(s, "GET", "/api/map/chunks/0?of="+now, "")
	if pieceOf(t, again.Body.Bytes())[0].x != want.X[0] || before == now {
		t.Errorf("the map drawn again: %d, %s after %s", again.Code, now, before)
	}
	for _, chunk := range []string{"1", "-1", "x"} {
		if w := ask(s, "GET", "/api/map/chunks/"+chunk, ""); w.Code != 404 {
			t.Errorf("piece %s: %d", chunk, w.Code)
		}
	}
}

// Coarser topics keep their names on the map when topics below them are merged, seeded or left out.
func TestMapLevels(t *testing.T) {
	s := exploring(t, func(o *Options) {
		o.Model = filepath.Join(t.TempDir(), "leveled")
		o.Shards = drawn(t, o.Model, 5, 2)
	})
	mapped(t, s)
	before := asked[mapBody](t, s, "GET", "/api/map", "").Levels
	if len(before) != 1 || len(before[0].Names) != 2 || len(before[0].Of) != 5 {
		t.Fatalf("levels %+v", before)
	}
	of, ids := before[0].Of, s.first.model.TopicIDs
	a := 0
	b := 1 + slices.Index(of[1:], of[a])
	if b == a {
		a, b = 1, 2+slices.Index(of[2:], of[1])
	}
	asked[steeringBody](t, s, "POST", "/api/steer", fmt.Sprintf(`{"kind":"merge","topics":[%d,%d],"version":1}`, ids[a],
		ids[b]))
	after, now := asked[mapBody](t, s, "GET", "/api/map", "").Levels, s.current.Load().model
	if len(after) != 1 || !slices.Equal(after[0].Names, before[0].Names) || len(after[0].Of) != now.Topics() {
		t.Fatalf("levels %+v after a merger, %+v before", after, before)
	}
	for k, id := range now.TopicIDs {
		if was := slices.Index(ids, id); was >= 0 && after[0].Of[k] != of[was] {
			t.Errorf("topic %d was in %d, and is in %d", id, of[was], after[0].Of[k])
		}
	}
}

// Names come for many items at once, cut and cleaned.
func TestMapNames(t *testing.T) {
	s := exploring(t, nil)
	st := s.current.Load()
	long, plain := st.lookup(hostile[1]), st.lookup("Item 20")
	rows := asked[[]itemBody](t, s, "POST", "/api/map/names", fmt.Sprintf(`{"items":[%d,%d]}`, long, plain))
	if len(rows) != 2 || strings.ContainsAny(rows[0].Name, "\u202e\n") || len([]rune(rows[0].Name)) > 60 ||
		rows[1] != st.itemBody(plain) {
		t.Errorf("%+v", rows)
	}
	for body, status := range map[string]int{`{"items":[60]}`: 404, `{"items":[-1]}`: 404, `{"items":"x"}`: 400,
		`{"items":[` + strings.Repeat("0,", maxItems) + `0]}`: 413} {
		if w := ask(s, "POST", "/api/map/names", body); w.Code != status {
			t.Errorf("%.40s: %d", body, w.Code)
		}
	}
}

// A preview says what the step then does, and changes nothing. Places stay what they are after steps, and what a step
// removes leaves the map.
func TestMapSteered(t *testing.T) {
	s := exploring(t, nil)
	want := mapped(t, s)
	before, topics := pieceOf(t, ask(s, "GET", "/api/map/chunks/0", "").Body.Bytes()), ask(s, "GET", "/api/topics", "").Body
	step := `{"kind":"merge","topics":[1,3],"version":1}`
	changes := asked[[]changeBody](t, s, "POST", "/api/steer/preview", step)
	if after := ask(s, "GET", "/api/topics", "").Body; after.String() != topics.String() ||
		len(asked[steeringBody](t, s, "GET", "/api/steer", "").Steps) != 0 {
		t.Error("the preview has changed the model")
	}
	asked[steeringBody](t, s, "POST", "/api/steer", step)
	m := s.current.Load().model
	for _, c := range changes {
		if k := m.TopicOf(c.ID); k < 0 != (c.What == "gone") || k >= 0 && m.Shares[k] != c.After ||
			c.What == "gone" != (len(c.Is) == 0) || len(c.Was) != 5 || c.ID == 1 != (c.What == "moved") {
			t.Errorf("%+v", c)
		}
	}
	if len(changes) != 5 {
		t.Errorf("%d topics", len(changes))
	}
	removed := int(want.Items[7])
	asked[steeringBody](t, s, "POST", "/api/steer", fmt.Sprintf(`{"kind":"remove","items":[%d],"version":2}`, removed))
	points := pieceOf(t, ask(s, "GET", "/api/map/chunks/0", "").Body.Bytes())
	if len(points) != len(before)-1 || points[7].x != before[8].x ||
		asked[mapBody](t, s, "GET", "/api/map", "").Items != len(before) {
		t.Errorf("%d items after one was removed", len(points))
	}
	now := s.current.Load().model
	for j, p := range slices.Delete(slices.Clone(before), 7, 8) {
		if now.Vocabulary.ID(points[j].item) != s.first.model.Vocabulary.ID(p.item) || points[j].y != p.y {
			t.Fatalf("item %d is now %+v", j, points[j])
		}
	}
	w := ask(s, "POST", "/api/steer/preview", `{"line":"merge 0 nothing"}`)
	var refused struct{ Error struct{ Message string } }
	if err := json.Unmarshal(w.Body.Bytes(), &refused); err != nil || w.Code != 422 ||
		!strings.Contains(refused.Error.Message, "nothing") {
		t.Errorf("a preview of what is impossible: %d %s", w.Code, w.Body)
	}
	if steer.SameTopic != 0.05 { // the page says so
		t.Error("the page calls topics the same up to another distance")
	}
}
