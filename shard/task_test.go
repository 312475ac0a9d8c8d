package shard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseTask(t *testing.T) {
	if task, err := ParseTask("3/8"); err != nil || task != (Task{3, 8}) || task.String() != "3/8" {
		t.Errorf("%v, %v", task, err)
	}
	for text, want := range map[string]string{"": "is not a task", "3": "is not a task", "a/8": "is not a task",
		"3/b": "is not a task", "1/2/3": "is not a task",
		"8/8": "from 0 to 7", "-1/8": "from 0 to 7", "0/0": "from 1 to", "0/1000001": "from 1 to"} {
		if _, err := ParseTask(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every shard is dealt once, whatever the sizes, every task gets one, the order stays, and no task has much more than
// its share.
func TestTasksShareShards(t *testing.T) {
	for _, sizes := range [][]int64{{5}, {0, 0, 0}, {1, 2, 3, 4, 5, 6, 7}, {100, 1, 1, 1, 1, 1}, {7, 7, 7, 7,
		7, 7, 7, 7, 7}} {
		all := make([]Shard, len(sizes))
		total, largest := int64(0), slices.Max(sizes)
		for i, size := range sizes {
			all[i] = Shard{Path: fmt.Sprintf("a/%d", i), Size: size}
			total += size
		}
		for of := 1; of <= len(all); of++ {
			seen := make(map[string]int)
			for number := range of {
				mine, err := Task{number, of}.Shards(all)
				if err != nil || len(mine) == 0 {
					t.Fatalf("%v, task %d of %d: %d shards, %v", sizes, number, of, len(mine), err)
				}
				bytes := int64(0)
				for i, s := range mine {
					seen[s.Path]++
					bytes += s.Size
					if i > 0 && s.Path < mine[i-1].Path {
						t.Errorf("%v, task %d of %d: out of order", sizes, number, of)
					}
				}
				if bytes > total/int64(of)+largest {
					t.Errorf("%v: task %d of %d has %d of %d bytes", sizes, number, of, bytes, total)
				}
			}
			for _, s := range all {
				if seen[s.Path] != 1 {
					t.Errorf("%v: %d of %d tasks have shard %s", sizes, seen[s.Path], of, s.Path)
				}
			}
		}
		if _, err := (Task{0, len(all) + 1}).Shards(all); err == nil || !strings.Contains(err.Error(), "too few") {
			t.Error(err)
		}
	}
}

// Shards are the same wherever they lie, and others with another name, size or order.
func TestFingerprint(t *testing.T) {
	of := func(shards ...Shard) string { return Fingerprint(shards) }
	a, b := Shard{Path: "x/a.parquet", Size: 5}, Shard{Path: "x/b.parquet", Size: 6}
	same := of(Shard{Path: "s3://bucket/y/a.parquet?region=eu", Size: 5}, Shard{Path: `C:\z\b.parquet`, Size: 6})
	if of(a, b) != same {
		t.Error("the folder counts")
	}
	for _, other := range []string{of(b, a), of(a), of(a, Shard{Path: "x/b.parquet", Size: 7}), of(a,
		Shard{Path: "x/c.parquet", Size: 6})} {
		if other == same {
			t.Error("other shards have the same fingerprint")
		}
	}
}
