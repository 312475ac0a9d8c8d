// This file watches over the ranks of a job. MPI does not say who has failed: a rank that waits for a message of one that has died waits
// for ever, until the launcher kills it.
//
// Every rank holds a connection to rank 0, which says every other second that the rank is alive, and in which stage. A connection that ends, or is
// silent for too long, is a lost rank; rank 0 informs the others. A rank that fails or is interrupted says so itself. Nothing else goes over
// these connections: no work, no data, no calls.

package collective

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	aliveEvery = 2 * time.Second
	silence    = 20 * time.Second // how long a rank may be silent
)

// The kinds of news.
const (
	isAlive       = "alive"
	hasFailed     = "failed"
	isInterrupted = "interrupted"
	isLost        = "lost"
	hasSeen       = "seen" // an answer to hasFailed and isInterrupted
	hasDone       = "done" // the end of the connection is no loss
)

// news is a message of the watch: a line of JSON.
type news struct {
	Kind  string
	Rank  int    // whom it is about
	Stage string `json:",omitempty"`
	Text  string `json:",omitempty"`
}

// InterruptedError says that a rank was interrupted, which interrupts all. It wraps context.Canceled.
type InterruptedError struct {
	Rank   int
	Host   string
	Reason string
}

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("rank %d on %s was interrupted: %s", e.Rank, e.Host, e.Reason)
}

func (e *InterruptedError) Unwrap() error { return context.Canceled }

// watch is the watch of one rank.
type watch struct {
	comm    *Comm
	told    func(*LostError)
	decided chan struct{} // closed with the verdict

	mu       sync.Mutex
	verdict  error    // what ended the job, unless this rank did: a *LostError or an *InterruptedError
	failed   bool     // this rank has failed first
	closing  bool     // all work is done
	complete bool     // every rank is watched
	peers    []*peer  // of rank 0: all others; of another: rank 0
	failures []string // of other ranks, by their numbers
	heard    sync.Cond
}

// newWatch returns the watch of a rank, without connections yet.
func newWatch(comm *Comm, told func(*LostError)) *watch {
	w := &watch{comm: comm, told: told, decided: make(chan struct{}), failures: make([]string, comm.size)}
	w.heard.L = &w.mu
	return w
}

// conclude ends the work of this rank because of another. Only the first verdict counts.
func (w *watch) conclude(verdict error) {
	w.mu.Lock()
	if w.verdict != nil || w.failed || w.closing {
		w.mu.Unlock()
		return
	}
	w.verdict = verdict
	close(w.decided)
	w.mu.Unlock()
	if lost := new(LostError); errors.As(verdict, &lost) && w.told != nil {
		w.told(lost)
	}
	w.comm.fail(verdict)
}

// receive acts on news from a peer.
func (w *watch) receive(from *peer, n news) {
	if n.Rank < 0 || n.Rank >= w.comm.size {
		return
	}
	switch n.Kind {
	case isAlive:
		from.heardOf(n.Stage)
	case hasDone:
		from.end()
	case hasSeen:
		w.answered(from)
	case isLost:
		w.conclude(&LostError{Rank: n.Rank, Host: w.comm.Host(n.Rank), Stage: n.Stage, Reason: n.Text})
	case hasFailed:
		w.pass(from, n)
		w.mu.Lock()
		w.failures[n.Rank] = n.Text
		w.heard.Broadcast()
		w.mu.Unlock()
		// Not at once: errors such as a wrong option come to all ranks, and then this one has failed by itself meanwhile.
		lost := &LostError{Rank: n.Rank, Host: w.comm.Host(n.Rank), Stage: n.Stage, Reason: n.Text}
		time.AfterFunc(newsPause, func() { w.conclude(lost) })
	case isInterrupted:
		w.pass(from, n)
		w.conclude(&InterruptedError{Rank: n.Rank, Host: w.comm.Host(n.Rank), Reason: n.Text})
	}
}

// pass answers news of an end, and sends it on from rank 0 to the others.
func (w *watch) pass(from *peer, n news) {
	from.end()
	from.send(news{Kind: hasSeen, Rank: w.comm.rank})
	w.tell(n, from)
}

// tell sends news to all peers except one.
func (w *watch) tell(n news, except *peer) {
	for _, p := range w.connected() {
		if p != except {
			p.send(n)
		}
	}
}

// connected returns the peers.
func (w *watch) connected() []*peer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peers
}

// ended takes note that the connection to a peer has ended.
func (w *watch) ended(from *peer, reason string) {
	done, stage := from.gone()
	w.answered(from)
	if done {
		return
	}
	w.mu.Lock()
	closing := w.closing
	w.mu.Unlock()
	if closing {
		return
	}
	if w.comm.rank == 0 {
		w.tell(news{Kind: isLost, Rank: from.rank, Stage: stage, Text: reason}, from)
	}
	w.conclude(&LostError{Rank: from.rank, Host: w.comm.Host(from.rank), Stage: stage, Reason: reason})
}

// answered takes note that a peer knows how this rank has ended.
func (w *watch) answered(from *peer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from.knows = true
	w.heard.Broadcast()
}

// signalled takes a signal for an interrupt, unless there is news of another rank: launchers send a signal to all ranks when one of them has died.
func (w *watch) signalled(cause error) {
	select {
	case <-w.decided:
		return
	case <-time.After(newsPause):
	}
	reason := "a signal"
	if cause != nil {
		reason = cause.Error()
	}
	rank := w.comm.rank
	w.mu.Lock()
	over := w.verdict != nil || w.failed || w.closing
	w.mu.Unlock()
	if over {
		return
	}
	w.tell(news{Kind: isInterrupted, Rank: rank, Text: reason}, nil)
	w.conclude(&InterruptedError{Rank: rank, Host: w.comm.Host(rank), Reason: reason})
}

// fail sends the others the error with which this rank ends. It returns the error that counts, and whether this rank should say it.
func (w *watch) fail(err error) (counts error, speak bool) {
	if lost := new(LostError); errors.As(err, &lost) { // a message did not arrive: the watch knows more
		select {
		case <-w.decided:
		case <-time.After(detailWait):
		}
	}
	w.mu.Lock()
	verdict := w.verdict
	w.failed = verdict == nil
	w.mu.Unlock()
	if interrupted := new(InterruptedError); errors.As(verdict, &interrupted) {
		if !errors.Is(err, context.Canceled) {
			err = verdict
		}
		return err, w.comm.First()
	}
	if verdict != nil {
		return verdict, w.told == nil
	}
	n := news{Kind: hasFailed, Rank: w.comm.rank, Stage: w.comm.current(), Text: err.Error()}
	if errors.Is(err, context.Canceled) {
		n.Kind = isInterrupted
		w.tell(n, nil)
		return err, w.comm.First() // which this interrupts too
	}
	w.tell(n, nil)
	return err, w.comm.First() || !w.likewise(err.Error())
}

// likewise reports whether rank 0 fails with the same text, now or soon.
func (w *watch) likewise(text string) bool {
	timer := time.AfterFunc(newsPause, func() { w.mu.Lock(); defer w.mu.Unlock(); w.heard.Broadcast() })
	defer timer.Stop()
	until := time.Now().Add(newsPause)
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.failures[0] == "" && time.Now().Before(until) && len(w.peers) > 0 {
		w.heard.Wait()
	}
	return w.failures[0] == text
}

// linger waits until all peers know how this rank has ended, a second at most, so that the launcher sees its exit code first. A rank that
// ends because of another waits that long for the same reason. linger reports whether all ranks can know.
func (w *watch) linger() bool {
	timer := time.AfterFunc(lastWords, func() { w.mu.Lock(); defer w.mu.Unlock(); w.heard.Broadcast() })
	defer timer.Stop()
	until := time.Now().Add(lastWords)
	w.mu.Lock()
	defer w.mu.Unlock()
	lost := errors.As(w.verdict, new(*LostError))
	for time.Now().Before(until) && (lost || w.verdict == nil && !w.allKnow()) {
		w.heard.Wait()
	}
	return w.complete
}

// allKnow reports whether all peers know how this rank has ended.
func (w *watch) allKnow() bool {
	for _, p := range w.peers {
		if !p.knows {
			return false
		}
	}
	return true
}

// close ends the watch after the work.
func (w *watch) close() {
	w.mu.Lock()
	w.closing = true
	peers := w.peers
	w.mu.Unlock()
	for _, p := range peers {
		p.send(news{Kind: hasDone, Rank: w.comm.rank})
		p.conn.(*net.TCPConn).CloseWrite() // closing it whole could lose what was sent
	}
}
