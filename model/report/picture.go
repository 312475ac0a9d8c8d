// This file draws single pictures of a report, for other pages.

package report

import (
	"context"
	"html/template"

	"anchorage/model"
)

// pictures are those that other pages show, by their names.
var pictures = map[string]func(*report) (template.HTML, error){"levels": (*report).levels, "drift": (*report).drifted,
	"trends": (*report).trends,
	"topics": func(r *report) (template.HTML, error) { return r.areas(mostAreas, r.place), nil },
	"map": func(r *report) (template.HTML, error) {
		if r.x == nil {
			return "", nil
		}
		return r.topicMap().HTML(), nil
	}}

// Picture returns a picture of a report as a part of a page: topics, map, levels, drift or trends. It is empty if the
// model has nothing to show there. Links lead to #topic-K, the place of a topic in the model. Errors are as in Write.
func Picture(ctx context.Context, name string, m *model.Model, opts Options) (template.HTML, error) {
	r, err := prepared(ctx, m, opts)
	if err != nil {
		return "", err
	}
	r.detail = details[0]
	return pictures[name](r)
}

// Areas returns the topics of a model with the greatest shares as areas, without links.
func Areas(ctx context.Context, m *model.Model, most, workers int) (template.HTML, error) {
	r := newReport(ctx, m, Options{Workers: workers})
	err := r.colour()
	return r.areas(most, func(int) string { return "" }), err
}
