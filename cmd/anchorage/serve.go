// This file holds the commands that answer over HTTP: serve, and explore, which shows a model in a browser.

package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/transform"
	"anchorage/serve"
	"anchorage/serve/explore"
)

// serveFlags say where to listen, and what a request may take.
type serveFlags struct {
	listen    string
	tokenFile string
	options   serve.Options
	limit     memoryLimit
	watch     time.Duration
	watching  bool
}

func (f *serveFlags) rows() []row {
	o := &f.options
	times := durations(time.Millisecond, day)
	return []row{
		listenRow(&f.listen, "127.0.0.1:8080", "address and port; only this machine can reach 127.0.0.1"), hostsRow(&o.Hosts),
		serverGroup.flag("allow-origin", &o.Origins, commaList.named("ORIGIN"),
			"sites whose pages may ask, like https://shop.example, or *; repeatable"),
		serverGroup.flag("token-file", &f.tokenFile, anyFile,
			"file whose first line every request must show as bearer token"),
		serverGroup.flag("watch", &f.watching, boolean, "look for a new model there, or in the store, and answer from it"),
		memoryRow(&f.limit),
		expert("watch-every", &f.watch, durations(time.Millisecond, year), "how often --watch looks").by("10s"),
		expert("max-body", &o.MaxBody, wholes(1, 1<<40), "bytes of a request's body").by("8388608"),
		expert("max-documents", &o.MaxDocuments, wholes(1, 1_000_000), "documents of a request").by("1000"),
		expert("max-items", &o.MaxItems, wholes(1, mostNumbered), "items of a document, and of an answer").by("10000"),
		expert("max-requests", &o.MaxRequests, wholes(0, 1_000_000),
			"requests at work at the same time; 0 for two per processor"),
		expert("max-waiting", &o.MaxWaiting, wholes(0, 1_000_000),
			"requests that wait; 0 for 1,024, or 32 times max-requests"),
		expert("timeout", &o.Timeout, times, "the most that a request may take").by("10s"),
		expert("drain", &o.Drain, times, "time for requests at work when the server ends").by("10s"),
	}
}

func listenRow(to *string, usual, help string) row {
	return serverGroup.flag("listen", to, anyText.named("ADDRESS"), help).by(usual)
}

func hostsRow(to *[]string) row {
	return serverGroup.flag("allow-host", to, commaList.named("NAME"), "name by which the server may be asked; repeatable")
}

// check checks the flags before a model is loaded.
func (f *serveFlags) check() error {
	for _, origin := range f.options.Origins {
		page, err := url.Parse(origin)
		if origin != "*" && (err != nil || page.Host == "" || page.Scheme+"://"+page.Host != origin) {
			return &usageError{fmt.Errorf("--allow-origin is %q: give a scheme and a host, such as https://shop.example",
				origin)}
		}
	}
	return nil
}

// token reads the token, empty if none is asked for.
func (f *serveFlags) token() (string, error) {
	if f.tokenFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(f.tokenFile)
	if err != nil {
		return "", &usageError{fmt.Errorf("--token-file: %w", err)}
	}
	first, _, _ := strings.Cut(string(text), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return "", &usageError{fmt.Errorf("--token-file: %s: its first line is empty", f.tokenFile)}
	}
	return first, nil
}

func (p *program) serveCommand() *cobra.Command {
	var f serveFlags
	serve := func(ctx context.Context, args []string) error { return p.serve(ctx, &f, args[0]) }
	return p.command("serve", cobra.ExactArgs(1), serve, f.rows())
}

// serve serves a model until ctx ends, which is no error.
func (p *program) serve(ctx context.Context, f *serveFlags, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	f.limit.apply()
	var err error
	if f.options.Token, err = f.token(); err != nil {
		return err
	}
	listener, err := listen(f.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	f.options.Log = p.log
	if f.watching {
		f.options.Watch = f.watch
	}
	server, err := serve.New(ctx, path, f.options)
	if err != nil {
		return err
	}
	if f.options.Token == "" && !isLoopback(listener.Addr()) {
		p.log.Warn("everybody who reaches this address can ask the model: --token-file asks for a token", "address",
			listener.Addr().String())
	}
	printf(p.stderr, "Serving %s at http://%s\n", path, listener.Addr())
	return server.Serve(ctx, listener)
}

// listen takes the address of --listen, before a large model is loaded.
func listen(address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, &usageError{fmt.Errorf("--listen is %q: give an address and a port, such as 127.0.0.1:8080", address)}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &usageError{fmt.Errorf("--listen: %w", err)}
	}
	return listener, nil
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// exploreFlags say what to explore, and where to listen.
type exploreFlags struct {
	options explore.Options
	source  sourceFlags
	trendFlags
	address   string
	noBrowser bool
}

func (f *exploreFlags) rows() []row {
	o := &f.options
	return append([]row{
		inputGroup.flag("compare", &o.Compare, anyFolder, "an earlier model, to show beside the first"),
		listenRow(&f.address, "127.0.0.1:0", "address and port; port 0 is a free one"), hostsRow(&o.Hosts),
		serverGroup.flag("no-browser", &f.noBrowser, boolean, "print the address and open no browser"),
		outputGroup.flag("output", cleaned(&o.Output), newFolder.named("FOLDER"),
			"where the page may save a model whose topics were changed").letter("o").does(none),
	}, append(f.trendRows(), f.source.formatRows()...)...)
}

func (p *program) exploreCommand() *cobra.Command {
	var f exploreFlags
	explore := func(ctx context.Context, args []string) error { return p.explore(ctx, &f, args[0], args[1:]) }
	return p.command("explore", cobra.MinimumNArgs(1), explore, f.rows())
}

// explore serves the explorer until ctx ends, which is no error.
func (p *program) explore(ctx context.Context, f *exploreFlags, path string, shards []string) error {
	if output := f.options.Output; output != "" {
		if exists, err := objects.Exists(ctx, output); err == nil && exists {
			return &codedError{exitExists, fmt.Errorf("%s: %w: choose another name", output, model.ErrExists)}
		}
	}
	f.source.limit.apply()
	listener, err := listen(f.address)
	if err != nil {
		return err
	}
	defer listener.Close()
	o := f.options
	o.Model, o.Browse, o.Workers, o.Progress, o.Log = path, !f.noBrowser, p.workers, p.advance, p.log
	o.Trend = func(ctx context.Context, m *model.Model) (*transform.Trend, error) { return f.trend(ctx, m, path) }
	if len(shards) > 0 {
		f.source.shard.Names, f.source.shard.Texts = true, true
		if o.Shards, err = f.source.discover(ctx, p, shards); err != nil {
			return err
		}
	}
	server, err := explore.New(ctx, o)
	if err != nil {
		return err
	}
	if !isLoopback(listener.Addr()) {
		p.log.Warn("other machines can reach this address, and nothing hides the token on its way", "address",
			listener.Addr().String())
	}
	printf(p.stderr, "Exploring %s at %s\nEnd with Ctrl-C.\n", path, server.URL(listener.Addr()))
	return server.Serve(ctx, listener)
}
