// Package report shows a model as one page of HTML that works offline: what was read and left out, how far the fit can
// be relied on, a card for every topic, maps of topics and items, correlations, drift and trends where there are any,
// and a table of the leading items with search.
//
// A page loads nothing and sends nothing, works without its script, and stays below MostBytes whatever the model's size
// is: large models are shown in less detail, and the page says what it leaves out. Equal models give equal bytes. Names
// from data are text, cut and without characters that have no shape. Every chart has its table behind it; package
// internal/page has their form.
package report
