// This file is the link over MPI. It is the only file that calls MPI: docs/decisions/ranks.md says why it is behind a
// build tag.
//
// All calls but MPI_Finalize may come from any thread, one at a time: MPI_THREAD_SERIALIZED. Messages pass through
// memory of C. So MPI never holds memory of Go, which network cards would have to register and whose pages the runtime
// returns to the system unseen by MPI.

//go:build mpi

package collective

/*
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

// The communicator of the job, a duplicate of MPI_COMM_WORLD, and the exchange that is under way: a message out and one
// in.
static MPI_Comm job;
static MPI_Request requests[2];
static MPI_Status statuses[2];

// Signals that MPI libraries catch to print a stack. The runtime of Go needs them.
static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE};
enum { caughtCount = sizeof caught / sizeof *caught };

static int start(int *rank, int *size) {
	struct sigaction before[caughtCount];
	int i, provided = 0, wrong;
	for (i = 0; i < caughtCount; i++) sigaction(caught[i], NULL, &before[i]);
	wrong = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
	for (i = 0; i < caughtCount; i++) sigaction(caught[i], &before[i], NULL);
	if (wrong) return wrong;
	if (provided < MPI_THREAD_SERIALIZED) return -1;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if ((wrong = MPI_Comm_dup(MPI_COMM_WORLD, &job))) return wrong;
	MPI_Comm_set_errhandler(job, MPI_ERRORS_RETURN);
	if ((wrong = MPI_Comm_rank(job, rank))) return wrong;
	return MPI_Comm_size(job, size);
}

// begin starts an exchange. A rank of -1 leaves a side out.
static int begin(void *out, int sent, int to, void *in, int received, int from) {
	int wrong = 0;
	requests[0] = requests[1] = MPI_REQUEST_NULL;
	if (from >= 0) wrong = MPI_Irecv(in, received, MPI_BYTE, from, 1, job, &requests[1]);
	if (!wrong && to >= 0) wrong = MPI_Isend(out, sent, MPI_BYTE, to, 1, job, &requests[0]);
	return wrong;
}

// poll asks up to "times" times whether the exchange is done. *count becomes the number of bytes that came.
static int poll(int times, int *done, int *count) {
	int i, wrong;
	*done = 0;
	for (i = 0; i < times && !*done; i++) {
		wrong = MPI_Testall(2, requests, done, statuses);
		if (wrong == MPI_ERR_IN_STATUS) {
			for (i = 0; i < 2; i++) {
				if (statuses[i].MPI_ERROR != MPI_SUCCESS && statuses[i].MPI_ERROR != MPI_ERR_PENDING) return statuses[i].MPI_ERROR;
			}
		}
		if (wrong) return wrong;
	}
	if (*done) return MPI_Get_count(&statuses[1], MPI_BYTE, count);
	return 0;
}

static void explain(int wrong, char *text) {
	int length = 0;
	if (MPI_Error_string(wrong, text, &length)) length = 0;
	text[length] = 0;
}

static void library(char *text) {
	int length = 0;
	if (MPI_Get_library_version(text, &length)) length = 0;
	text[length] = 0;
}

static int end(void) {
	MPI_Comm_free(&job);
	return MPI_Finalize();
}

static int cut(int code) {
	return MPI_Abort(MPI_COMM_WORLD, code);
}
static int textLength(void) {
	return MPI_MAX_ERROR_STRING > MPI_MAX_LIBRARY_VERSION_STRING ? MPI_MAX_ERROR_STRING : MPI_MAX_LIBRARY_VERSION_STRING;
}
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// Implementation says which MPI the program was built with; "" for none.
func Implementation() string {
	text := worded(func(text *C.char) { C.library(text) })
	line, _, _ := strings.Cut(text, "\n")
	line, _, _ = strings.Cut(line, ",")
	return strings.Join(strings.Fields(line), " ")
}

// worded returns the text that fill writes.
func worded(fill func(text *C.char)) string {
	text := (*C.char)(C.calloc(1, C.size_t(C.textLength())+1))
	defer C.free(unsafe.Pointer(text))
	fill(text)
	return C.GoString(text)
}

// mpi is the link of a rank.
type mpi struct {
	rank int

	calls    sync.Mutex // only one call at a time
	out, in  unsafe.Pointer
	outBytes int
	inBytes  int
	broken   error // the first error; MPI is not called afterwards

	finish   chan struct{} // closed for MPI_Finalize
	finished chan error
}

// dial joins the job that the process was started for.
func dial(ctx context.Context, how Launch) (*entry, error) {
	m := &mpi{finish: make(chan struct{}), finished: make(chan error, 1)}
	begun, size := make(chan error, 1), 0
	// The thread that has begun must also end.
	go func() {
		runtime.LockOSThread()
		var rank, count C.int
		err := described(C.start(&rank, &count))
		m.rank, size = int(rank), int(count)
		begun <- err
		if err != nil {
			return
		}
		<-m.finish
		m.calls.Lock()
		defer m.calls.Unlock()
		m.finished <- described(C.end())
	}()
	select {
	case err := <-begun:
		if err != nil {
			return nil, fmt.Errorf("MPI cannot begin: %w", err)
		}
	case <-ctx.Done(): // another rank may have failed before this, and never come
		return nil, context.Cause(ctx)
	}
	if size == 1 && how.Ranks != 1 {
		return nil, &LaunchError{Launch: how, Built: true, Reason: Implementation() +
			", which this program was built with, sees one rank only: start it with the launcher of that MPI"}
	}
	return &entry{rank: m.rank, size: size, link: m, leave: m.leave, abort: m.abort}, nil
}

// described returns the error that a number of MPI is for.
func described(wrong C.int) error {
	switch wrong {
	case C.MPI_SUCCESS:
		return nil
	case -1:
		return fmt.Errorf("it does not allow calls from several threads")
	}
	return fmt.Errorf("%s", worded(func(text *C.char) { C.explain(wrong, text) }))
}

func (m *mpi) exchange(ctx context.Context, to int, sent []byte, from int, received []byte) error {
	m.calls.Lock()
	defer m.calls.Unlock()
	if m.broken == nil {
		m.broken = m.one(ctx, to, sent, from, received)
	}
	return m.broken
}

// one exchanges messages of at most pieceBytes.
func (m *mpi) one(ctx context.Context, to int, sent []byte, from int, received []byte) error {
	room(&m.out, &m.outBytes, len(sent))
	room(&m.in, &m.inBytes, len(received))
	copy(unsafe.Slice((*byte)(m.out), len(sent)), sent)
	if wrong := C.begin(m.out, C.int(len(sent)), C.int(to), m.in, C.int(len(received)),
		C.int(from)); wrong != C.MPI_SUCCESS {
		return m.lost(to, from, wrong)
	}
	for pause := time.Duration(0); ; pause = longer(pause) {
		var done, count C.int
		if wrong := C.poll(polls, &done, &count); wrong != C.MPI_SUCCESS {
			return m.lost(to, from, wrong)
		}
		if done != 0 {
			if from >= 0 && int(count) != len(received) {
				return fmt.Errorf("collective: rank %d expects %d bytes from rank %d and gets %d", m.rank, len(received),
					from, int(count))
			}
			copy(received, unsafe.Slice((*byte)(m.in), len(received)))
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if pause > 0 {
			time.Sleep(pause)
		}
	}
}

// How a rank waits: it asks a number of times, and then sleeps for longer and longer, so that others on the same
// processor can work.
const (
	polls     = 64
	restFirst = 5 * time.Microsecond
	restMost  = 100 * time.Microsecond
)

// longer returns the next pause after one.
func longer(pause time.Duration) time.Duration { return min(max(2*pause, restFirst), restMost) }

// room makes memory of C hold at least the needed bytes, and at least one. It is never freed: MPI may still hold it
// when the job fails.
func room(memory *unsafe.Pointer, bytes *int, need int) {
	if *memory != nil && *bytes >= need {
		return
	}
	if *memory != nil {
		C.free(*memory)
	}
	*bytes = max(need, 1<<16)
	*memory = C.malloc(C.size_t(*bytes))
}

// lost returns the error of a message that did not arrive. MPI does not say which of two ranks it was.
func (m *mpi) lost(to, from int, wrong C.int) error {
	rank := max(to, from)
	if to >= 0 && from >= 0 && to != from {
		rank = -1
	}
	return &LostError{Rank: rank, Reason: "MPI: " + described(wrong).Error()}
}

// leave ends MPI. All ranks must call it; it does not wait longer than ctx lasts.
func (m *mpi) leave(ctx context.Context) error {
	close(m.finish)
	select {
	case err := <-m.finished:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// abort ends all processes of the job. Often it does not return.
func (m *mpi) abort(code int) {
	m.calls.Lock()
	defer m.calls.Unlock()
	C.cut(C.int(code))
}
