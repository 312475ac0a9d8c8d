// This file sends records between ranks, in pieces.

package corpus

import (
	"context"

	"anchorage/internal/collective"
)

// pieceBytes is about how many bytes a rank sends at a time, and how many come to it. Tests make it small.
var pieceBytes = 16 << 20

// inPieces sends records[r], in order, to rank r, on all ranks. write appends a record to a message; read gets each message that comes, those of
// a rank in the order in which it has sent them. The message is valid until read returns. No more than about pieceBytes are on their way
// at a time.
func inPieces(ctx context.Context, c *collective.Comm, records [][]int32, write func(message []byte, record int32) []byte, read func(from int, message []byte) error) error {
	messages, next := make([][]byte, c.Size()), make([]int, c.Size())
	full := max(pieceBytes/c.Size(), 1)
	for {
		more := []uint8{0}
		for r := range messages {
			message := messages[r][:0]
			for ; next[r] < len(records[r]) && len(message) < full; next[r]++ {
				message = write(message, records[r][next[r]])
			}
			if messages[r] = message; next[r] < len(records[r]) {
				more[0] = 1
			}
		}
		received, err := collective.AllToAll(ctx, c, messages)
		if err != nil {
			return err
		}
		for from, message := range received {
			if err := read(from, message); err != nil {
				return err
			}
		}
		if err := collective.Max(ctx, c, more); err != nil || more[0] == 0 {
			return err
		}
	}
}
