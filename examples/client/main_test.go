package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/examples/client/api"
	"anchorage/model/fit"
	"anchorage/serve"
)

// served returns the address of a server of a small model: of bread and butter, and of nails and screws.
func served(t *testing.T) string {
	t.Helper()
	var documents []corpus.Document
	for range 40 {
		documents = append(documents, corpus.Document{Items: []string{"bread", "butter", "jam", "milk"}},
			corpus.Document{Items: []string{"bread", "butter", "cheese"}},
			corpus.Document{Items: []string{"nails", "screws", "glue", "milk"}},
			corpus.Document{Items: []string{"nails", "screws", "saw"}})
	}
	docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Options{MinItems: 2, MinTokens: 2,
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if fitted.Recommendation, err = fit.Learn(t.Context(), fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := fitted.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(t.Context(), path, serve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server.Handler())
	t.Cleanup(listening.Close)
	return listening.URL
}

// The program prints topics and similar items.
func TestAsk(t *testing.T) {
	address := served(t)
	var out strings.Builder
	if err := ask(t.Context(), &out, address, []string{"bread", "jam"}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "topic  ") || !strings.Contains(out.String(), "like bread: butter") {
		t.Errorf("printed:\n%s", out.String())
	}
	if err := ask(t.Context(), &out, address, []string{"bred"}); err == nil || !strings.Contains(err.Error(), `"bread"`) {
		t.Errorf("an unknown item: %v", err)
	}
}

// Every operation that is described can be called, and its answer is what the description says: the generated client
// decodes it.
func TestEveryOperation(t *testing.T) {
	client, err := api.NewClientWithResponses(served(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, two := t.Context(), 2
	check := func(name string, decoded bool, status int, body []byte, err error) {
		t.Helper()
		if err != nil || status != http.StatusOK || !decoded {
			t.Errorf("%s: status %d, %v, %s", name, status, err, body)
		}
	}
	health, err := client.GetHealthWithResponse(ctx)
	check("health", err == nil && health.JSON200.Status == "ok", health.StatusCode(), health.Body, err)
	ready, err := client.GetReadyWithResponse(ctx)
	check("ready", err == nil && ready.JSON200.Status == "ok", ready.StatusCode(), ready.Body, err)
	figures, err := client.GetMetricsWithResponse(ctx)
	check("metrics", err == nil && strings.Contains(string(figures.Body), "anchorage_model_topics 2"),
		figures.StatusCode(), nil, err)
	described, err := client.GetDescriptionWithResponse(ctx)
	check("description", err == nil && described.JSON200 != nil, described.StatusCode(), nil, err)
	about, err := client.GetModelWithResponse(ctx)
	check("model", err == nil && about.JSON200.Topics == 2 && about.JSON200.Items == 9, about.StatusCode(),
		about.Body, err)
	topics, err := client.GetTopicsWithResponse(ctx, &api.GetTopicsParams{N: &two})
	check("topics", err == nil && len(topics.JSON200.Topics) == 2 && len(topics.JSON200.Topics[0].Prominent) == 2,
		topics.StatusCode(), topics.Body, err)
	found, err := client.FindItemsWithResponse(ctx, &api.FindItemsParams{Search: "BRE"})
	check("search", err == nil && len(found.JSON200.Items) == 1 && found.JSON200.Items[0].Item == "bread",
		found.StatusCode(), found.Body, err)
	item, err := client.GetItemWithResponse(ctx, "bread", &api.GetItemParams{})
	check("item", err == nil && item.JSON200.Documents == 80 && len(item.JSON200.Topics) == 2, item.StatusCode(),
		item.Body, err)
	similar, err := client.GetSimilarWithResponse(ctx, "bread", &api.GetSimilarParams{N: &two})
	check("similar", err == nil && len(similar.JSON200.Items) == 2 && slices.Contains([]string{"butter", "jam", "cheese"},
		similar.JSON200.Items[0].Item), similar.StatusCode(), similar.Body, err)
	basket := []string{"jam"}
	with, err := client.GetWithWithResponse(ctx, "bread", &api.GetWithParams{And: &basket, N: &two})
	check("with", err == nil && len(with.JSON200.Items) > 0, with.StatusCode(), with.Body, err)
	request, err := documentOf([]string{"bread", "saw dust"})
	if err != nil {
		t.Fatal(err)
	}
	transformed, err := client.TransformWithResponse(ctx, *request)
	check("transform", err == nil && transformed.JSON200.Documents[0].Known == 1 &&
		transformed.JSON200.Documents[0].Unknown == 1, transformed.StatusCode(), transformed.Body, err)
	if t.Failed() {
		return
	}
	unknown, err := client.GetItemWithResponse(ctx, "bred", &api.GetItemParams{})
	if err != nil || unknown.JSON404 == nil || unknown.JSON404.Error.Code != "unknown_item" {
		t.Errorf("an unknown item: %v, %s", err, unknown.Body)
	}
}
