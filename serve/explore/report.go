// This file hands out the report of the model as it is now.

package explore

import (
	"bytes"
	"context"
	"net/http"

	"anchorage/internal/web"
	"anchorage/model/report"
)

// reported makes the report of a model.
func (s *Server) reported(ctx context.Context, st *state) ([]byte, error) {
	var text bytes.Buffer
	err := report.Write(ctx, &text, st.model, report.Options{Compare: s.other, Workers: s.opts.Workers})
	return text.Bytes(), err
}

// report answers with the report, which is made at every request. Its own policy stands in it, with the hashes of its style and script.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	text, err := s.reported(r.Context(), s.current.Load())
	if err != nil {
		s.opts.Log.Error("the report failed", "error", err)
		web.Refuse(w, web.Problemf(http.StatusInternalServerError, web.Internal, "the report could not be made: %v", err))
		return
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text)
}
