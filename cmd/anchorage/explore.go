// This file holds the explore command: a model in a browser.

package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/cli/browser"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/serve/explore"
)

// exploreFlags say what to explore, and where to listen.
type exploreFlags struct {
	options   explore.Options
	source    sourceFlags
	address   string
	noBrowser bool
}

func (f *exploreFlags) rows(flags *pflag.FlagSet) []row {
	o := &f.options
	return append([]row{
		{name: "compare", group: inputGroup, to: &o.Compare, values: anyFolder, help: "an earlier model, to show beside the first"},
		{name: "documents", group: inputGroup, to: &o.Documents, values: anyFolder, help: "topics of documents, as transform writes them, in place of shards"},
		listenRow(&f.address, "127.0.0.1:0", "address and port; port 0 is a free one"), hostsRow(&o.Hosts),
		{name: "no-browser", group: serverGroup, to: &f.noBrowser, values: boolean, help: "print the address and open no browser"},
		{name: "output", short: "o", group: outputGroup, effect: none, to: (*outputPath)(&o.Output).set, values: newFolder.named("FOLDER"), help: "where the page may save a model whose topics were changed"},
	}, f.source.of(flags).formatRows()...)
}

func (p *program) exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore MODEL [SHARD...]",
		Short: "Explore a model in a browser",
		Long: `Explore starts a server on this machine and opens a browser: a search among all items, what each is about, which items are like it and go
with it, the documents of each topic, baskets to complete, texts to find topics of, and two models side by side. Topics can
be named, seeded, merged, split and pinned, and items taken out, with undo. Documents come from the shards, which are read once, or from
the model if fit wrote them there (--documents).

Only this machine can reach the server unless --listen says otherwise, and only with the address that it prints, which has a token. It
writes nothing but the changed model, to -o, when the page is told to save it. It ends on SIGINT or SIGTERM.`,
		Example: `  anchorage explore model
  anchorage explore model shards/ --compare yesterday`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return p.explore(ctx, &f, args[0], args[1:]) }),
	}
	return p.with(cmd, f.rows(cmd.Flags()))
}

// explore serves the explorer until ctx ends, which is no error.
func (p *program) explore(ctx context.Context, f *exploreFlags, path string, shards []string) error {
	if _, _, err := net.SplitHostPort(f.address); err != nil {
		return &usageError{fmt.Errorf("--listen is %q: give an address and a port, such as 127.0.0.1:8080", f.address)}
	}
	if f.options.Documents != "" && len(shards) > 0 {
		return &usageError{fmt.Errorf("the documents come from shards or from --documents: leave one of them out")}
	}
	if f.options.Output != "" {
		if err := needOutput(f.options.Output); err != nil {
			return err
		}
		if exists, err := objects.Exists(ctx, f.options.Output); err == nil && exists {
			return fmt.Errorf("%s: %w", f.options.Output, model.ErrExists)
		}
	}
	f.source.limit.apply()
	listener, err := net.Listen("tcp", f.address)
	if err != nil {
		return &usageError{fmt.Errorf("--listen: %w", err)}
	}
	defer listener.Close()
	o := f.options
	o.Model, o.Workers, o.Progress, o.Log = path, p.workers, p.advance, p.log
	if len(shards) > 0 {
		f.source.shard.Names = true
		if o.Shards, err = f.source.discover(ctx, p, shards); err != nil {
			return err
		}
	}
	if !f.noBrowser {
		folder, err := os.MkdirTemp("", "anchorage-explore-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		o.Opened = func(url string) { p.openBrowser(folder, url) }
	}
	server, err := explore.New(ctx, o)
	if err != nil {
		return err
	}
	if !isLoopback(listener.Addr()) {
		p.log.Warn("other machines can reach this address, and nothing hides the token on its way", "address", listener.Addr().String())
	}
	printf(p.stderr, "Exploring %s at %s\nEnd with Ctrl-C.\n", path, server.URL(listener.Addr()))
	return server.Serve(ctx, listener)
}

// occupiedError is model.ErrExists for a command that replaces nothing.
type occupiedError struct{ err error }

func (e *occupiedError) Error() string { return e.err.Error() }

func (e *occupiedError) Unwrap() error { return e.err }

// openBrowser opens an address in a browser; where that fails, the address has been printed. The arguments of programs are seen by everybody
// on a machine, so the browser is not told the address with its token, but a file in folder that only its owner can read and that leads
// there.
func (p *program) openBrowser(folder, url string) {
	address := html.EscapeString(url)
	text := `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=` + address + `"><title>Anchorage</title><a href="` + address + `">Anchorage</a>`
	file := filepath.Join(folder, "open.html")
	err := os.WriteFile(file, []byte(text), 0o600)
	if err == nil {
		browser.Stdout, browser.Stderr = io.Discard, io.Discard
		err = browser.OpenFile(file)
	}
	if err != nil {
		p.log.Info("no browser was opened: open the address yourself", "reason", err)
	}
}
