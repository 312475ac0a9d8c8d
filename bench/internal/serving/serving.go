// This file measures servers of models and reports what was found.

package serving

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/model"
	"anchorage/serve"
)

// ChildCommand is the hidden command by which a server is started.
const ChildCommand = "serve-child"

// Options say how to measure.
type Options struct {
	Clients []int         // numbers of clients that send as fast as they are answered
	Rate    float64       // requests a second, of the greatest number of clients, in one more measurement
	Items   int           // of a basket
	Last    time.Duration // how long a measurement lasts
	Seed    uint64
}

// Record is a measurement.
type Record struct {
	Model                   string
	Items, Topics           int
	Clients                 int
	Rate                    float64 // 0 if clients send as fast as they are answered
	Requests, Failed        int
	PerSecond               float64
	Median, P99, P999, Most time.Duration
}

// Run measures a server of each of the models.
func (o *Options) Run(ctx context.Context, models []string) ([]Record, error) {
	var records []Record
	for _, path := range models {
		m, err := model.Load(ctx, path)
		if err != nil {
			return nil, err
		}
		bodies := baskets(m, 1000, o.Items, o.Seed)
		template := Record{Model: filepath.Base(path), Items: m.Vocabulary.Len(), Topics: m.Topics()}
		m = nil // the server loads it again
		of, err := o.measure(ctx, path, template, bodies)
		if err != nil {
			return nil, err
		}
		records = append(records, of...)
	}
	return records, nil
}

// measure starts a server, sends requests, and ends it.
func (o *Options) measure(ctx context.Context, path string, template Record, bodies [][]byte) (records []Record, err error) {
	address, end, err := start(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if ending := end(); err == nil {
			err = ending
		}
	}()
	runs := []load{{clients: o.Clients[0], last: o.Last / 5}} // the first does not count
	most := 1
	for _, clients := range o.Clients {
		runs = append(runs, load{clients: clients, last: o.Last})
		most = max(most, clients)
	}
	if o.Rate > 0 {
		runs = append(runs, load{clients: most, rate: o.Rate, last: o.Last})
	}
	for i, l := range runs {
		l.url, l.bodies = "http://"+address+"/v1/transform", bodies
		found, err := l.run(ctx)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		r := template
		r.Clients, r.Rate, r.Requests, r.Failed = l.clients, l.rate, len(found.times), found.failed
		r.PerSecond = float64(len(found.times)) / found.wall.Seconds()
		r.Median, r.P99, r.P999, r.Most = found.quantile(0.5), found.quantile(0.99), found.quantile(0.999), found.quantile(1)
		records = append(records, r)
	}
	return records, nil
}

// start starts a server as a process of its own and returns its address, and a function that ends it.
func start(ctx context.Context, path string) (address string, end func() error, err error) {
	program, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	command := exec.CommandContext(ctx, program, ChildCommand)
	command.Stdin, command.Stderr = strings.NewReader(path), os.Stderr
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	output, err := command.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := command.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return "", nil, fmt.Errorf("the server of %s did not start: %w", path, command.Wait())
	}
	return strings.TrimSpace(line), func() error {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return command.Wait()
	}, nil
}

// Child serves the model that its input names, says at which address, and ends with ctx.
func Child(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	path, err := io.ReadAll(stdin)
	if err != nil {
		return err
	}
	server, err := serve.New(ctx, string(path), serve.Options{})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return err
	}
	return server.Serve(ctx, listener)
}

// Write adds the records to a folder: serve.csv and README.md.
func Write(folder *report.Folder, records []Record, origin report.Origin, items int) error {
	t := report.NewTable("serve", report.Texts("model"), report.Ints("items", "topics", "clients"), report.Floats("rate"), report.Ints("requests", "failed"),
		report.Floats("requests_per_second", "median_ms", "p99_ms", "p999_ms", "most_ms"))
	for _, r := range records {
		t.Add(r.Model, int64(r.Items), int64(r.Topics), int64(r.Clients), r.Rate, int64(r.Requests), int64(r.Failed), r.PerSecond,
			milliseconds(r.Median), milliseconds(r.P99), milliseconds(r.P999), milliseconds(r.Most))
	}
	if err := folder.AddTables(t); err != nil {
		return err
	}
	b := origin.Begin("Serving", "")
	fmt.Fprintf(b, `
A request asks for the topics of one basket of %d items over one connection of HTTP. Server and clients are two processes on the same
machine and share its processors. Clients send their next request when they have the answer to the last. In rows with a rate they send
when a request is due, and its time counts from then. `+"`serve.csv`"+` has all figures.

`, items)
	report.MarkdownHeader(b, "model", "items:", "topics:", "clients:", "rate:", "requests/s:", "median ms:", "p99 ms:", "p99.9 ms:", "refused:")
	for _, r := range records {
		rate := "–"
		if r.Rate > 0 {
			rate = fmt.Sprintf("%g/s", r.Rate)
		}
		report.MarkdownRow(b, r.Model, fmt.Sprint(r.Items), fmt.Sprint(r.Topics), fmt.Sprint(r.Clients), rate, fmt.Sprintf("%.0f", r.PerSecond),
			fmt.Sprintf("%.2f", milliseconds(r.Median)), fmt.Sprintf("%.2f", milliseconds(r.P99)), fmt.Sprintf("%.2f", milliseconds(r.P999)), fmt.Sprint(r.Failed))
	}
	return folder.AddText("README.md", b.String())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
