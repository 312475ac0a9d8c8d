// This file opens the page in a browser.

package explore

import (
	"context"
	"html"
	"io"
	"os"
	"path/filepath"

	"github.com/cli/browser"
)

// browse opens an address in a browser; where that fails, the log says so. The arguments of programs are seen by
// everybody on a machine, so the browser is not told the address with its token, but a file that only its owner can
// read and that leads there. The file is removed when ctx ends.
func (s *Server) browse(ctx context.Context, url string) {
	folder, err := os.MkdirTemp("", "anchorage-explore-*")
	if err == nil {
		defer os.RemoveAll(folder)
		address, file := html.EscapeString(url), filepath.Join(folder, "open.html")
		err = os.WriteFile(file, []byte(`<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=`+
			address+`"><title>Anchorage</title><a href="`+address+`">Anchorage</a>`), 0o600)
		if err == nil {
			err = openFile(file)
		}
	}
	if err != nil {
		s.opts.Log.Info("no browser was opened: open the address yourself", "reason", err)
	}
	<-ctx.Done()
}

// openFile opens a file in the system's browser, outside tests.
var openFile = func(file string) error {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	return browser.OpenFile(file)
}
