// This file counts requests and models for Prometheus.

package serve

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refused  prometheus.Counter
	items    prometheus.Gauge
	topics   prometheus.Gauge
	since    prometheus.Gauge
	handler  http.Handler
}

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "anchorage_model_" + name, Help: help})
	}
	requests := prometheus.CounterOpts{Name: "anchorage_http_requests_total", Help: "Requests by path and status."}
	seconds := prometheus.HistogramOpts{Name: "anchorage_http_request_seconds",
		Help: "Time from a request's header to its answer.", Buckets: prometheus.ExponentialBuckets(0.0001, 2.5, 14)}
	refused := prometheus.CounterOpts{Name: "anchorage_models_refused_total", Help: "New models that could not be loaded."}
	m := &metrics{
		requests: prometheus.NewCounterVec(requests, []string{"path", "status"}),
		seconds:  prometheus.NewHistogramVec(seconds, []string{"path"}),
		refused:  prometheus.NewCounter(refused),
		items:    gauge("items", "Items of the model in use."),
		topics:   gauge("topics", "Topics of the model in use."),
		since:    gauge("loaded_timestamp_seconds", "When the model in use was loaded, in Unix time."),
	}
	registry.MustRegister(m.requests, m.seconds, m.refused, m.items, m.topics, m.since)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// loaded notes a model that is now in use.
func (m *metrics) loaded(l *loaded) {
	m.items.Set(float64(l.model.Vocabulary.Len()))
	m.topics.Set(float64(l.model.Topics()))
	m.since.Set(float64(l.at.Unix()))
}

// count counts an answer.
func (m *metrics) count(path string, status int) {
	m.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
}
