// This file holds the serve command: answers about a model over HTTP.

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/serve"
)

// serveFlags say where to listen, and what a request may take.
type serveFlags struct {
	listen    string
	tokenFile string
	options   serve.Options
	watch     time.Duration
	watching  bool
}

func (f *serveFlags) add(flags *pflag.FlagSet) {
	o := &f.options
	flags.StringVar(&f.listen, "listen", "127.0.0.1:8080", "address and port; only this machine can reach 127.0.0.1, everybody :8080")
	flags.StringVar(&f.tokenFile, "token-file", "", "file whose first line every request must show as bearer token")
	flags.StringSliceVar(&o.Hosts, "allow-host", nil, "name by which the server may be asked, beside localhost and addresses; may be given again. Without it, a server that only this machine reaches refuses other names, and others accept all")
	flags.BoolVar(&f.watching, "watch", false, "look for a new model at the same place, and answer from it")
	flags.DurationVar(&f.watch, "watch-every", 10*time.Second, "how often --watch looks")
	flags.Int64Var(&o.MaxBody, "max-body", 8<<20, "bytes of a request's body")
	flags.IntVar(&o.MaxDocuments, "max-documents", 1000, "documents of a request")
	flags.IntVar(&o.MaxItems, "max-items", 10_000, "items of a document, and of an answer")
	flags.IntVar(&o.MaxRequests, "max-requests", 0, "requests at work at the same time; 0 for two per processor")
	flags.IntVar(&o.MaxWaiting, "max-waiting", 0, "requests that wait for their turn; 0 for 32 times --max-requests")
	flags.DurationVar(&o.Timeout, "timeout", 10*time.Second, "the most that a request may take")
	flags.DurationVar(&o.Drain, "drain", 10*time.Second, "how long requests at work may go on when the server ends")
}

// check checks the flags before a model is loaded.
func (f *serveFlags) check() error {
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return &usageError{fmt.Errorf("--listen is %q: give an address and a port, such as 127.0.0.1:8080", f.listen)}
	}
	for name, value := range map[string]int64{"--max-body": f.options.MaxBody, "--max-documents": int64(f.options.MaxDocuments), "--max-items": int64(f.options.MaxItems),
		"--timeout": int64(f.options.Timeout), "--drain": int64(f.options.Drain), "--watch-every": int64(f.watch)} {
		if value < 1 {
			return &usageError{fmt.Errorf("%s must be above 0", name)}
		}
	}
	if f.options.MaxRequests < 0 || f.options.MaxWaiting < 0 {
		return &usageError{errors.New("--max-requests and --max-waiting cannot be negative")}
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
	cmd := &cobra.Command{
		Use:   "serve MODEL",
		Short: "Answer questions about a model over HTTP",
		Long: `Serve loads a model and answers with JSON over HTTP: the topics of documents (POST /v1/transform), the items that are like an item
(GET /v1/items/ID/similar) or go with a basket (GET /v1/items/ID/with), and the topics (GET /v1/topics). /v1/openapi.json describes
all of it; /healthz, /readyz and /metrics are for whoever operates it. It writes nothing.

Only this machine can reach the server unless --listen says otherwise. It has no TLS of its own: put a proxy before it. It ends on
SIGINT or SIGTERM, after the requests at work.`,
		Example: `  anchorage serve model
  curl -s 127.0.0.1:8080/v1/transform -d '{"documents": [{"items": ["bread", "butter"]}]}'`,
		Args: cobra.ExactArgs(1),
		RunE: started(func(ctx context.Context, args []string) error { return p.serve(ctx, &f, args[0]) }),
	}
	return p.withFlags(cmd, f.add)
}

// serve serves a model until ctx ends, which is no error.
func (p *program) serve(ctx context.Context, f *serveFlags, path string) error {
	if err := f.check(); err != nil {
		return err
	}
	var err error
	if f.options.Token, err = f.token(); err != nil {
		return err
	}
	// The address is taken first: whoever cannot have it learns that before a large model is loaded.
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return &usageError{fmt.Errorf("--listen: %w", err)}
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
		p.log.Warn("everybody who reaches this address can ask the model: --token-file asks for a token", "address", listener.Addr().String())
	}
	printf(p.stderr, "Serving %s at http://%s\n", path, listener.Addr())
	return server.Serve(ctx, listener)
}

// isLoopback reports whether only this machine reaches an address.
func isLoopback(address net.Addr) bool {
	tcp, ok := address.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
