// This file counts requests and models for Prometheus, and gives errors their one form.

package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"anchorage/internal/web"
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

// statusGone is what proxies log for clients that did not wait; it has no official number.
const statusGone = 499

// unread returns the error of a body that did not come whole.
func unread(err error) error {
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return err
	case errors.As(err, &network) && network.Timeout():
		return web.Problemf(http.StatusServiceUnavailable, web.Timeout, "the body did not come in time")
	}
	return web.Wrong("the body did not come whole")
}

// tooLarge is the problem of a request beyond a limit.
func tooLarge(format string, args ...any) *web.Problem {
	return web.Problemf(http.StatusRequestEntityTooLarge, web.TooLarge, format, args...)
}

// problemOf returns the problem that an error of a handler is for its client.
func problemOf(err error) *web.Problem {
	var known *web.Problem
	var body *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &body):
		return tooLarge("the body is larger than %d bytes: send fewer documents", body.Limit)
	case errors.Is(err, context.Canceled): // the client has gone; only the figures see this
		return web.Problemf(statusGone, web.Timeout, "the client closed the connection")
	case errors.Is(err, context.DeadlineExceeded):
		return web.Problemf(http.StatusServiceUnavailable, web.Timeout,
			"the request took too long: send fewer documents, or try again later")
	}
	return web.Problemf(http.StatusInternalServerError, web.Internal, "the server failed: its log says how")
}
