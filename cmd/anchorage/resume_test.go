package main

import (
	"bufio"
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/long"
	"anchorage/internal/polls"
)

// resumableCommands are the commands that can be resumed, in the ways that differ in what they keep.
var resumableCommands = map[string]string{
	"fit":               "fit shards -k 6 --checkpoint-interval 0",
	"fit for reading":   "fit shards -k 6 --for reading --checkpoint-interval 0",
	"all items":         "fit shards -k 6 --no-prune --passes 3 --checkpoint-interval 0",
	"a vocabulary":      "fit shards -k 6 --vocab words.txt --min-items 2 --checkpoint-interval 0",
	"a single pass":     "fit shards -k 6 --no-prune --checkpoint-interval 0",
	"documents, pairs":  "fit shards -k 6 --refine none --documents --neighbours 5 --checkpoint-interval 0",
	"under a limit":     "fit shards -k 6 --memory-limit 200MiB --no-prune --passes 3 --checkpoint-interval 0",
	"sketch":            "sketch shards -k 6 --checkpoint-interval 0",
	"sketch in a pass":  "sketch shards -k 6 --passes 1 --checkpoint-interval 0",
	"bayes fit":         "bayes fit --model lda shards -k 6 --set batch-size=100 --checkpoint-interval 0",
	"bayes fit batched": "bayes fit --model cnmf --batch --set iterations=4 shards -k 6 --checkpoint-interval 0",
}

// writeWords writes a vocabulary of half of the items.
func writeWords(t *testing.T) {
	t.Helper()
	var words strings.Builder
	for i := range 200 {
		words.WriteString("item_" + string([]byte{byte('0' + i/100), byte('0' + i/10%10), byte('0' + i%10)}) + "\n")
	}
	if err := os.WriteFile("words.txt", []byte(words.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestResumedCommands interrupts commands at several looks at their context, the reading of the shards among them, and
// lets them continue. What they write must have the same bytes as that of a run that was never interrupted, and nothing
// else may be left.
func TestResumedCommands(t *testing.T) {
	moments, names := 1, []string{"fit", "documents, pairs", "sketch", "bayes fit"}
	if long.Tier() {
		moments, names = 2, slices.Sorted(maps.Keys(resumableCommands))
	}
	for _, name := range names {
		line := resumableCommands[name]
		t.Run(name, func(t *testing.T) {
			inCorpus(t, 3)
			writeWords(t)
			execute(t, exitDone, append(strings.Fields(line), "-o", "want")...)
			want := contents(t, "want")
			args := append(strings.Fields(line), "-o", "model", "--resume=auto")
			attempt := func(limit int) (code, looks int, stderr string) {
				ctx := polls.After(t.Context(), limit)
				var out, err bytes.Buffer
				code = run(ctx, args, nil, &out, &err)
				return code, ctx.Asked(), err.String()
			}
			code, looks, stderr := attempt(0)
			if code != exitDone || looks < 100 {
				t.Fatalf("exit code %d after %d looks at the context: %s", code, looks, stderr)
			}
			for i := range moments {
				os.RemoveAll("model")
				limit := 1 + (2*i+1)*looks/(2*moments)
				for round := 0; ; round++ {
					if round == 2 {
						limit = 0
					}
					code, _, stderr := attempt(limit)
					if code == exitDone {
						break
					}
					if code != exitInterrupted || round == 2 {
						t.Fatalf("interrupted at look %d of %d, round %d: exit code %d: %s", limit, looks, round, code, stderr)
					}
				}
				if got := contents(t, "model"); got != want {
					t.Errorf("interrupted at look %d of %d:\n%swant\n%s", limit, looks, got, want)
				}
				checkLeft(t, "model", "shards", "want", "words.txt")
			}
		})
	}
}

// checkLeft fails the test unless the folder has only these entries.
func checkLeft(t *testing.T, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != strings.Join(want, " ") {
		t.Errorf("left: %s; want %s", got, strings.Join(want, " "))
	}
}

// TestKilledAnywhere kills processes as they write a line of their log, several times one after the other, also while
// they resume. The last run ends with the bytes of one that was never killed.
func TestKilledAnywhere(t *testing.T) {
	kills := 3
	if long.Tier() {
		kills = 12
	}
	for _, name := range []string{"fit", "sketch", "bayes fit"} {
		t.Run(name, func(t *testing.T) {
			inCorpus(t, 3)
			line := resumableCommands[name]
			execute(t, exitDone, append(strings.Fields(line), "-o", "want")...)
			want := contents(t, "want")
			args := append(strings.Fields(line), "-o", "model", "--resume=auto", "--log-level", "debug")
			lines := killedAfter(t, args, 0)
			moments := rand.New(rand.NewPCG(1, 2))
			os.RemoveAll("model")
			for range kills {
				killedAfter(t, args, 1+moments.IntN(lines))
				if _, err := os.Stat("model"); err == nil { // it was quicker than the kill
					if got := contents(t, "model"); got != want {
						t.Fatalf("a model with other bytes:\n%swant\n%s", got, want)
					}
					os.RemoveAll("model")
				}
			}
			killedAfter(t, args, 0)
			if got := contents(t, "model"); got != want {
				t.Errorf("after %d kills:\n%swant\n%s", kills, got, want)
			}
			checkLeft(t, "model", "shards", "want")
		})
	}
}

// killedAfter runs the program as a process and kills it when it has logged that many lines; 0 lets it end. It returns
// how many it has logged.
func killedAfter(t *testing.T, args []string, line int) (lines int) {
	t.Helper()
	process := exec.Command(os.Args[0], args...)
	process.Args[0] = "anchorage" // TestMain runs the program under this name
	stderr, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for from := bufio.NewScanner(stderr); from.Scan(); {
		log.WriteString(from.Text() + "\n")
		if lines++; lines == line {
			process.Process.Kill()
		}
	}
	if err := process.Wait(); err != nil && line == 0 {
		t.Fatalf("%v: %s", err, log.String())
	}
	return lines
}

// TestKilledUpdates kills updates of a store, also while they resume. The generation that comes of it has the bytes of
// one of an update that was never killed, the store is whole, and no checkpoint is left.
func TestKilledUpdates(t *testing.T) {
	const kills = 10
	inCorpus(t, 3)
	execute(t, exitDone, "update", "store", "shards/part-000.parquet", "shards/part-001.parquet", "-k", "6")
	if err := os.CopyFS("want", os.DirFS("store")); err != nil {
		t.Fatal(err)
	}
	execute(t, exitDone, "update", "want", "shards")
	args := strings.Fields("update store shards --resume=auto --checkpoint-interval 0 --log-level debug")
	moments, done := rand.New(rand.NewPCG(3, 4)), false
	for range kills {
		if done {
			break
		}
		killedAfter(t, args, 1+moments.IntN(40))
		generation, err := os.Readlink("store/current")
		if err != nil {
			t.Fatal(err)
		}
		done = generation != "generations/000001" // it was quicker than the kill
	}
	out, _ := execute(t, map[bool]int{false: exitDone, true: exitNothing}[done], args...)
	for _, name := range []string{"manifest.json", "vocabulary.parquet", "items.parquet", "topics.parquet",
		"correlations.parquet", "factor.parquet", "drift.parquet"} {
		got, err := os.ReadFile("store/current/" + name)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if want, err := os.ReadFile("want/current/" + name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs: %v", name, err)
		}
	}
	execute(t, exitDone, "verify", "store")
	execute(t, exitDone, "verify", "store", "want")
	checkLeft(t, "shards", "store", "want")
}

// TestVerifyCheckpoint flips single bits of the copy of the documents in a checkpoint, and of its states: verify finds
// every one of them.
func TestVerifyCheckpoint(t *testing.T) {
	inCorpus(t, 3)
	var said bytes.Buffer
	ctx, args := polls.After(t.Context(), 0), strings.Fields("fit shards -k 6 --checkpoint-interval 0 --resume=auto -o "+
		"model")
	if code := run(ctx, args, nil, &said, &said); code != exitDone {
		t.Fatalf("exit code %d: %s", code, &said)
	}
	os.RemoveAll("model")
	if code := run(polls.After(t.Context(), ctx.Asked()/2), args, nil, &said,
		&said); code != exitInterrupted { // long after the reading
		t.Fatalf("exit code %d: %s", code, &said)
	}
	const folder = ".model.checkpoint"
	execute(t, exitDone, "verify", folder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := folder + "/" + entry.Name()
		content := []byte(contentOf(t, path))
		flip := func(bit int) {
			content[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 16 {
			bit := i * (8*len(content) - 1) / 15 // the first, the last, and some between
			flip(bit)
			if _, said := execute(t, exitInput, "verify", folder); !strings.Contains(said, "damaged") {
				t.Errorf("bit %d of %s: %s", bit, path, said)
			}
			flip(bit)
		}
	}
	execute(t, exitDone, "verify", folder)
	if err := os.Remove(folder + "/copy"); err != nil {
		t.Fatal(err)
	}
	execute(t, exitInput, "verify", folder)
}
