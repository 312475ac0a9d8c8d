// This file connects the watches of ranks.

package collective

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// peer is the other end of a connection of the watch.
type peer struct {
	rank  int
	conn  net.Conn
	lines *bufio.Scanner
	knows bool          // how this rank has ended; the watch's lock protects it
	wake  chan struct{} // for the news that a stage begins

	mu    sync.Mutex
	done  bool // the end of the connection is no loss
	stage string
}

// How long connecting may take, and a message.
const (
	dialWait    = 2 * time.Second // for each address
	connectWait = 15 * time.Second
	sendWait    = 2 * time.Second
	lineBytes   = 64 << 10 // the longest message
)

// newPeer returns the peer at the other end of a connection.
func newPeer(rank int, conn net.Conn) *peer {
	p := &peer{rank: rank, conn: conn, lines: bufio.NewScanner(conn), wake: make(chan struct{}, 1)}
	p.lines.Buffer(nil, lineBytes)
	return p
}

func (p *peer) heardOf(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = stage
}

func (p *peer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
}

// gone returns whether the end of the connection was announced, and the stage of the rank.
func (p *peer) gone() (done bool, stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done, p.stage
}

// send sends news. If it cannot, the reader of the connection will find out.
func (p *peer) send(n news) {
	if len(n.Text) > lineBytes/4 {
		n.Text = n.Text[:lineBytes/4]
	}
	p.write(n)
}

func (p *peer) write(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic("collective: news has no form")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn.SetWriteDeadline(time.Now().Add(sendWait))
	p.conn.Write(append(text, '\n'))
}

// read reads the next message, which must come within a time.
func (p *peer) read(within time.Duration, into any) error {
	p.conn.SetReadDeadline(time.Now().Add(within))
	if !p.lines.Scan() {
		if err := p.lines.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	return json.Unmarshal(p.lines.Bytes(), into)
}

// listen reads news from a peer until its connection ends.
func (w *watch) listen(p *peer) {
	for {
		var n news
		switch err := p.read(silence, &n); {
		case err == nil:
			w.receive(p, n)
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
			w.ended(p, fmt.Sprintf("it has been silent for %v", silence))
		default:
			w.ended(p, "its process has ended")
		}
		p.conn.Close()
		return
	}
}

// stayAlive says again and again that this rank is alive, until the connections end.
func (w *watch) stayAlive(p *peer) {
	for {
		p.write(news{Kind: isAlive, Rank: w.comm.rank, Stage: w.comm.current()})
		select {
		case <-p.wake:
		case <-time.After(aliveEvery):
		}
		w.mu.Lock()
		closing := w.closing
		w.mu.Unlock()
		if done, _ := p.gone(); done || closing {
			return
		}
	}
}

// call is what every rank sends to the others over the link: its host and, from rank 0, where its watch is.
type call struct {
	Host      string
	Token     string   // what a rank must say on its connection, so that no other program is taken for one
	Addresses []string // with ports; none if rank 0 cannot listen
}

// hello is the first message of a rank to rank 0, and the answer.
type hello struct {
	Rank  int
	Token string
}

// connect connects this rank to rank 0, and rank 0 to all. All ranks call it. unwatched is called on rank 0 if some cannot be connected.
func (w *watch) connect(ctx context.Context, host string, unwatched func(ranks []int, err error)) error {
	own := call{Host: host}
	var listener net.Listener
	var trouble error
	if w.comm.First() {
		if listener, trouble = net.Listen("tcp", ":0"); trouble == nil {
			own.Token, own.Addresses = rand.Text(), addresses(listener)
			defer listener.Close()
		}
	}
	calls, err := GatherJSON(ctx, w.comm, own)
	if err != nil {
		return err
	}
	hosts := make([]string, len(calls))
	for r, c := range calls {
		hosts[r] = c.Host
	}
	w.comm.hosts.Store(&hosts)
	accepted := make(map[int]*peer)
	switch {
	case listener != nil:
		accepted = accept(listener, own.Token, w.comm.size)
	case !w.comm.First():
		p, err := reach(ctx, calls[0], host, w.comm.rank)
		if err == nil {
			accepted[0] = p
		}
		trouble = err
	}
	return w.settle(ctx, accepted, trouble, unwatched)
}

// settle agrees with the other ranks who is connected, and begins to watch.
func (w *watch) settle(ctx context.Context, accepted map[int]*peer, trouble error, unwatched func(ranks []int, err error)) error {
	text := ""
	if trouble != nil {
		text = trouble.Error()
	}
	// A rank that is connected says so by an empty text.
	all, err := AllGather(ctx, w.comm, []byte(text))
	if err != nil {
		return err
	}
	var without []int
	for r, text := range all {
		if len(text) > 0 {
			if r > 0 {
				without = append(without, r)
			}
			trouble = fmt.Errorf("rank %d: %s", r, text)
		}
	}
	w.mu.Lock()
	for r, p := range accepted {
		if slices.Contains(without, r) {
			p.conn.Close()
			continue
		}
		w.peers = append(w.peers, p)
	}
	w.complete = len(without) == 0
	peers := w.peers
	w.mu.Unlock()
	if len(without) > 0 && w.comm.First() && unwatched != nil {
		unwatched(without, trouble)
	}
	w.comm.begun = func() {
		for _, p := range peers {
			select {
			case p.wake <- struct{}{}:
			default: // it will be told anyway
			}
		}
	}
	for _, p := range peers {
		go w.listen(p)
		go w.stayAlive(p)
	}
	return nil
}

// addresses returns where others may reach a listener: every address of this machine.
func addresses(listener net.Listener) []string {
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	known, err := net.InterfaceAddrs()
	if err != nil {
		known = nil
	}
	var local, far []string
	for _, address := range known {
		ip, ok := address.(*net.IPNet)
		switch {
		case !ok || ip.IP.IsLinkLocalUnicast():
		case ip.IP.IsLoopback():
			local = append(local, net.JoinHostPort(ip.IP.String(), port))
		default:
			far = append(far, net.JoinHostPort(ip.IP.String(), port))
		}
	}
	return append(far, local...)
}

// accept waits for the connections of ranks 1 to size−1, and returns those that came.
func accept(listener net.Listener, token string, size int) map[int]*peer {
	until := time.Now().Add(connectWait)
	listener.(*net.TCPListener).SetDeadline(until)
	accepted := make(map[int]*peer)
	for len(accepted) < size-1 {
		conn, err := listener.Accept()
		if err != nil {
			return accepted
		}
		p, said := newPeer(0, conn), hello{}
		if err := p.read(dialWait, &said); err != nil || said.Token != token || said.Rank < 1 || said.Rank >= size {
			conn.Close()
			continue
		}
		if before := accepted[said.Rank]; before != nil {
			before.conn.Close() // the rank has given it up
		}
		p.rank = said.Rank
		accepted[p.rank] = p
		p.write(hello{Token: token})
	}
	return accepted
}

// reach connects to rank 0.
func reach(ctx context.Context, first call, host string, rank int) (*peer, error) {
	err := errors.New("rank 0 listens nowhere")
	places := slices.Clone(first.Addresses)
	if first.Host == host { // the last ones are those of the machine itself
		slices.Reverse(places)
	}
	dialer := net.Dialer{Timeout: dialWait}
	until := time.Now().Add(connectWait - dialWait)
	for _, place := range places {
		if time.Now().After(until) {
			break
		}
		var conn net.Conn
		if conn, err = dialer.DialContext(ctx, "tcp", place); err != nil {
			continue
		}
		p, answer := newPeer(0, conn), hello{}
		p.write(hello{Rank: rank, Token: first.Token})
		if err = p.read(connectWait, &answer); err == nil && answer.Token == first.Token {
			return p, nil
		}
		err = fmt.Errorf("%s does not answer as rank 0 should: %w", place, errors.Join(err))
		conn.Close()
	}
	return nil, err
}
