// This file hands out the report of the model as it is now.

package explore

import (
	"bytes"
	"net/http"

	"anchorage/internal/web"
	"anchorage/model/report"
)

// report answers with the report, which is made at every request. Its own policy is in it, with the hashes of its style and script.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	var text bytes.Buffer
	err := report.Write(r.Context(), &text, s.current.Load().model, report.Options{Compare: s.other, Workers: s.opts.Workers})
	if err != nil {
		s.opts.Log.Error("the report failed", "error", err)
		web.Refuse(w, web.Problemf(http.StatusInternalServerError, web.Internal, "the report could not be made: %v", err))
		return
	}
	w.Header().Set("Content-Security-Policy", "frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes())
}
