// This file completes baskets, and finds the topics of documents that are typed in.

package explore

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"anchorage/internal/page"
	"anchorage/internal/web"
	"anchorage/model/transform"
	"anchorage/serve"
)

// complement is an item that goes with a basket.
type complement struct {
	itemBody
	Probability float64 `json:"probability"`
	Lift        float64 `json:"lift"`
	Together    int64   `json:"together"`
	Counted     bool    `json:"counted"` // with items of the basket; otherwise only topics and frequencies suggest it
}

// basketBody is what goes with a basket, and what it is about.
type basketBody struct {
	With   []complement  `json:"with"`
	Topics []serve.Share `json:"topics"`
	Known  int64         `json:"known"`
}

// basket answers a list of items with what goes with them, and their topics.
func basket(st *state, r *http.Request, request struct {
	Items []int `json:"items"`
	N     int   `json:"n"`
}) (any, error) {
	if len(request.Items) > maxItems {
		return nil, tooMany(len(request.Items))
	}
	if request.N < 0 || request.N > maxItems {
		return nil, web.Wrong("n is %d: it must be a whole number from 1 to %d", request.N, maxItems)
	}
	ids := make([]string, len(request.Items))
	for at, i := range request.Items {
		var err error
		if ids[at], err = st.asked(r.Context(), i); err != nil {
			return nil, err
		}
	}
	body := basketBody{With: []complement{}}
	if len(ids) > 0 {
		found, err := st.model.With(r.Context(), ids, cmp.Or(request.N, 20), nil)
		if err != nil {
			return nil, impossible(err)
		}
		for _, c := range found {
			body.With = append(body.With, complement{st.itemBody(st.lookup(c.ID)), finite(c.Probability), finite(c.Lift),
				c.Together, c.Pairs > 0})
		}
	}
	var topics transform.DocumentTopics
	st.transformer.Transform(&topics, ids, nil)
	body.Topics, body.Known = serve.Shares(topics.Mixture), topics.Known
	return body, nil
}

// documentAnswer is what is found in a document that was typed in.
type documentAnswer struct {
	Topics    []serve.Share `json:"topics"`
	Deviation float64       `json:"deviation"`
	Known     int64         `json:"known"`
	Unknown   []string      `json:"unknown"` // at most mostUnknown
	Missing   int64         `json:"missing"` // tokens that are unknown
	Items     []countedItem `json:"items"`
}

// countedItem is an item of a document.
type countedItem struct {
	Item  int    `json:"item"`
	Name  string `json:"name"`
	Count int32  `json:"count"`
	Topic int    `json:"topic"` // with the greatest share in the item
}

const mostUnknown = 50

// typed answers a text with its topics. Each line is an item if the model has it as it is, in any case; otherwise its
// words are, cut at what is neither a letter, a digit, an apostrophe nor a hyphen.
func typed(st *state, _ *http.Request, request struct {
	Text string `json:"text"`
}) (any, error) {
	items, unknown := st.split(request.Text)
	ids := make([]string, 0, len(items))
	answer := documentAnswer{Unknown: []string{}, Items: []countedItem{}, Missing: int64(len(unknown))}
	at := make(map[int]int)
	for _, i := range items {
		ids = append(ids, st.model.Vocabulary.ID(i))
		if _, seen := at[i]; !seen {
			at[i] = len(answer.Items)
			body := st.itemBody(i)
			answer.Items = append(answer.Items, countedItem{i, body.Name, 0, body.Topic})
		}
		answer.Items[at[i]].Count++
	}
	answer.Items = answer.Items[:min(len(answer.Items), maxItems)]
	for _, word := range unknown {
		if cleaned := page.Name(word); len(answer.Unknown) < mostUnknown && !slices.Contains(answer.Unknown, cleaned) {
			answer.Unknown = append(answer.Unknown, cleaned)
		}
	}
	var topics transform.DocumentTopics
	st.transformer.Transform(&topics, ids, nil)
	answer.Topics, answer.Deviation, answer.Known = serve.Shares(topics.Mixture), finite(topics.Deviation), topics.Known
	return answer, nil
}

// split cuts a text into items of the model and words that it does not have.
func (st *state) split(text string) (items []int, unknown []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if i, ok := st.find(line); ok {
			items = append(items, i)
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("'’-_", r)
		}) {
			if i, ok := st.find(strings.Trim(word, "'’-_")); ok {
				items = append(items, i)
			} else {
				unknown = append(unknown, word)
			}
		}
	}
	return items, unknown
}

// find returns an item by its name, as it is or in small letters.
func (st *state) find(name string) (int, bool) {
	for _, form := range []string{name, strings.ToLower(name)} {
		if i, known := st.model.Vocabulary.Lookup([]byte(form)); known {
			return int(i), true
		}
		if i, known := st.names.exact[form]; known && i >= 0 {
			return int(i), true
		}
	}
	return 0, false
}
