// This file sends broken requests to a server.

package soak

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// requests are whole ones, which are broken.
var requests = []string{"GET /v1/topics", "GET /v1/model", "GET /v1/topics/1", "GET /v1/items?search=i00&limit=5",
	"GET /v1/items/i0000007", "GET /v1/items/i0000007/similar?limit=3",
	"GET /v1/items/i0000007/with?items=i0000008,i0000009", "POST /v1/transform"}

// body is that of requests which have one.
const body = `{"documents":[{"id":"a","items":["i0000001","i0000002"],"counts":[1,2]},{"items":["i0000007"]}]}`

// ask starts a server and sends it a request, broken in many ways. It must answer none with 500, and the whole one
// always alike.
func (w *Workshop) ask(ctx context.Context, o *Outcome, enough int) error {
	folder, err := w.place(ctx, small)
	if err != nil {
		return err
	}
	address := fmt.Sprint("127.0.0.1:", 20000+w.below(10000))
	server, err := w.start(ctx, folder, order{}, "serve m --listen "+address)
	if err != nil {
		return err
	}
	want := ""
	for begun := time.Now(); !strings.HasPrefix(want, "200") && time.Since(begun) < hang/6; {
		time.Sleep(time.Second / 100)
		want = send(address, whole(o.What), false)
	}
	if !strings.HasPrefix(want, "200") {
		o.problem("undisturbed: %s", want)
	}
	for ; o.Disturbed < enough && !w.over(); o.Disturbed++ {
		broken := w.broken(whole(o.What))
		switch answer := send(address, broken, true); {
		case strings.HasPrefix(answer, "500"):
			o.problem("%q: %s", broken, answer)
		case strings.HasPrefix(answer, "2"):
			o.Complete++
		default:
			o.Refused++
		}
		if o.Disturbed%50 == 0 {
			if answer := send(address, whole(o.What), false); answer != want {
				o.problem("after %q the answer is %q", broken, answer)
			}
		}
	}
	if err := server.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	e, err := w.wait(ctx, server)
	if err == nil && (!oneOf(e.code, 0, 13) || strings.Contains(e.stderr, "panic")) {
		o.problem("%v", e)
	}
	return err
}

// whole returns a request as it is sent.
func whole(line string) []byte {
	sent := ""
	if strings.HasPrefix(line, "POST") {
		sent = body
	}
	return fmt.Appendf(nil, "%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", line,
		len(sent), sent)
}

// broken returns a request with one to three of its bits, bytes or stretches changed.
func (w *Workshop) broken(text []byte) []byte {
	odd := []string{"\x00", "-1", "99999999999999999999", "1e999", "NaN", "\xff", "..", "%", "\r\n", `"`, "[[", "null"}
	for n := 1 + w.below(3); n > 0 && len(text) > 0; n-- {
		at := w.below(len(text))
		end := min(at+1+w.below(12), len(text))
		switch w.below(4) {
		case 0:
			text[at] ^= 1 << w.below(8)
		case 1:
			text = append(text[:at:at], text[end:]...)
		case 2:
			text = bytes.Join([][]byte{text[:at], []byte(odd[w.below(len(odd))]), text[end:]}, nil)
		case 3:
			text = bytes.Join([][]byte{text[:end], text[at:]}, nil)
		}
	}
	return text
}

// send sends bytes and returns the answer from its status on, without its headers; "" if there is none. With end it
// says that no more comes: then a server may give up a request that it has begun to answer.
func send(address string, text []byte, end bool) string {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return ""
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(hang / 3)) // an answer that is too late is none
	_, _ = connection.Write(text)                        // a refusal ends it early
	if end {
		_ = connection.(*net.TCPConn).CloseWrite()
	}
	answer, _ := io.ReadAll(connection)
	head, body, _ := strings.Cut(string(answer), "\r\n\r\n")
	if _, head, _ = strings.Cut(head, " "); len(head) > 3 {
		head = head[:3]
	}
	return head + " " + body
}
