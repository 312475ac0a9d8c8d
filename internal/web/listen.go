// This file runs a server until it is told to end.

package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Listen answers requests from a listener until ctx ends. Then it takes no new ones, waits for those at work, at most drain, and returns
// nil. Any other error is that of the listener. ending, if not nil, is called when ctx has ended. Times of the server that are 0 mean
// what package http says.
func Listen(ctx context.Context, server *http.Server, listener net.Listener, drain time.Duration, log *slog.Logger, ending func()) error {
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if ending != nil {
		ending()
	}
	draining, stop := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer stop()
	if err := server.Shutdown(draining); err != nil {
		log.Warn("requests were cut off", "error", err)
		_ = server.Close()
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
