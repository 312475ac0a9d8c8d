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

// Times are the limits of a connection: for reading a request, for answering it, and for the requests at work when the
// server ends.
type Times struct{ Read, Write, Drain time.Duration }

// Listen answers requests from a listener until ctx ends. Then it takes no new ones, waits for those at work, and
// returns nil. Any other error is that of the listener. ending, if not nil, is called when ctx has ended.
func Listen(ctx context.Context, handler http.Handler, listener net.Listener, times Times, log *slog.Logger,
	ending func()) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       times.Read,
		WriteTimeout:      times.Write,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
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
	draining, stop := context.WithTimeout(context.WithoutCancel(ctx), times.Drain)
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
