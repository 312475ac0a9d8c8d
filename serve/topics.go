// This file answers questions about the model as a whole.

package serve

import (
	_ "embed"
	"net/http"
	"time"

	"anchorage/internal/web"
	"anchorage/model"
)

//go:embed openapi.json
var openAPI []byte

// description hands out openapi.json.
func description(_ *loaded, w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
	return nil
}

// modelBody says what model is in use.
type modelBody struct {
	ID        string    `json:"id"`
	Program   string    `json:"program"`
	Items     int       `json:"items"`
	Topics    int       `json:"topics"`
	Documents int64     `json:"documents"`
	Loaded    time.Time `json:"loaded"`
}

func about(from *loaded, w http.ResponseWriter, _ *http.Request) error {
	m := from.model
	web.Answer(w, http.StatusOK, modelBody{from.id, m.Manifest.Program, m.Vocabulary.Len(), m.Topics(), m.Manifest.Corpus.Documents, from.at.UTC()})
	return nil
}

// topicsBody is all topics.
type topicsBody struct {
	Topics []topicBody `json:"topics"`
}

type topicBody struct {
	Topic     int          `json:"topic"`
	Name      string       `json:"name,omitempty"`
	Share     float64      `json:"share"`
	Anchor    string       `json:"anchor,omitempty"`
	Prominent []listedBody `json:"prominent"`
}

type listedBody struct {
	Item        string  `json:"item"`
	Probability float64 `json:"probability"`
}

// topics lists the topics in their order, with at most ?n= items each.
func topics(from *loaded, w http.ResponseWriter, r *http.Request) error {
	n, err := web.Whole(r, "n", 10, 1, model.TopItems)
	if err != nil {
		return err
	}
	m := from.model
	body := topicsBody{make([]topicBody, m.Topics())}
	for k := range body.Topics {
		one := topicBody{Topic: k, Share: m.Shares[k], Prominent: []listedBody{}}
		if m.TopicNames != nil {
			one.Name = m.TopicNames[k]
		}
		if m.Anchors != nil {
			one.Anchor = m.Vocabulary.ID(m.Anchors[k])
		}
		for _, listed := range m.Prominent[k][:min(n, len(m.Prominent[k]))] {
			one.Prominent = append(one.Prominent, listedBody{m.Vocabulary.ID(listed.Item), listed.Probability})
		}
		body.Topics[k] = one
	}
	web.Answer(w, http.StatusOK, body)
	return nil
}
