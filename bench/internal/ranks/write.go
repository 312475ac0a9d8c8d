// This file writes the results: the fits, what each sent in every stage, and the memory of its ranks.

package ranks

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
)

// Write adds the results to a folder.
func (s *Series) Write(folder *report.Folder, fits []Fit, origin report.Origin) error {
	runs, sent := tables(fits)
	if err := folder.AddTables(runs, sent); err != nil {
		return err
	}
	return folder.AddText("README.md", s.readme(fits, origin))
}

// tables returns a row for every fit, and one for every stage of those over ranks.
func tables(fits []Fit) (runs, sent *report.Table) {
	runs = report.NewTable("runs", report.Ints("ranks", "refined"), report.Floats("seconds"), report.Ints("files", "equal_files", "same_anchors"),
		report.Floats("eigenvalues", "topics", "joint", "probabilities"))
	sent = report.NewTable("stages", report.Ints("ranks", "refined"), report.Texts("stage"), report.Ints("sent_bytes", "sent_bytes_most", "messages", "messages_most", "peak_bytes_most"))
	for i := range fits {
		f := &fits[i]
		refined := int64(0)
		if f.Refined {
			refined = 1
		}
		d := &f.Differs
		runs.Add(int64(f.Ranks), refined, f.Run.Seconds, int64(d.Files), int64(d.EqualFiles), int64(d.SameAnchors), d.Values, d.Topics, d.Joint, d.Probabilities)
		if f.Run.Ranks == nil {
			for _, stage := range f.Run.Stages {
				sent.Add(int64(f.Ranks), refined, stage.Name, int64(0), int64(0), int64(0), int64(0), stage.PeakBytes)
			}
			continue
		}
		for _, stage := range f.Run.Ranks.Stages {
			peak := int64(0)
			if len(stage.PeakBytes) > 0 {
				peak = slices.Max(stage.PeakBytes)
			}
			sent.Add(int64(f.Ranks), refined, stage.Name, stage.Bytes, stage.MostBytes, stage.Messages, stage.MostMessages, peak)
		}
	}
	return runs, sent
}

// readme returns the text.
func (s *Series) readme(fits []Fit, origin report.Origin) string {
	b := origin.Begin("One fit over several ranks: "+s.Name, "")
	fmt.Fprintf(b, "\n%s, K = %d. All ranks run on this machine, so seconds say nothing of several machines.\n\n## The same model?\n\n", s.Name, s.Topics)
	b.WriteString("Each fit is held against that of one process. Equal files are tables with the same bytes. The other columns are the greatest relative difference of an eigenvalue,\n" +
		"‖B − B'‖/‖B‖, the greatest difference of an entry of A in parts of the greatest entry, and of a p(topic).\n\n")
	report.MarkdownHeader(b, "ranks", "refined", "seconds", "equal files", "same anchors", "eigenvalues", "B", "A", "p(topic)")
	for i := range fits {
		f := &fits[i]
		if f.Ranks == 0 {
			continue
		}
		d := &f.Differs
		report.MarkdownRow(b, fmt.Sprint(f.Ranks), yesNo(f.Refined), fmt.Sprintf("%.1f", f.Run.Seconds), fmt.Sprintf("%d of %d", d.EqualFiles, d.Files),
			fmt.Sprintf("%d of %d", d.SameAnchors, s.Topics), small(d.Values), small(d.Topics), small(d.Joint), small(d.Probabilities))
	}
	stages := stagesOf(fits)
	s.stageTable(b, fits, "What ranks send", "MB that all ranks of a refined fit have sent, stage by stage.", stages, func(f *Fit, stage string) string {
		if f.Run.Ranks == nil {
			return ""
		}
		for _, of := range f.Run.Ranks.Stages {
			if of.Name == stage {
				return fmt.Sprintf("%.1f", float64(of.Bytes)/1e6)
			}
		}
		return "0.0"
	})
	s.stageTable(b, fits, "Memory", "MiB that the rank which takes most has at the peak of a stage of a refined fit. A process without anything takes about 50.", stages, memory)
	return b.String()
}

// memory returns the memory of a stage, in MiB: of the rank that takes most.
func memory(f *Fit, stage string) string {
	peak := int64(0)
	if f.Run.Ranks == nil {
		for _, of := range f.Run.Stages {
			if of.Name == stage {
				peak = max(peak, of.PeakBytes)
			}
		}
	} else {
		for _, of := range f.Run.Ranks.Stages {
			if of.Name == stage && len(of.PeakBytes) > 0 {
				peak = slices.Max(of.PeakBytes)
			}
		}
	}
	if peak == 0 {
		return ""
	}
	return fmt.Sprint(peak >> 20)
}

// stageTable writes a table with a column for every refined fit.
func (s *Series) stageTable(b *strings.Builder, fits []Fit, title, text string, stages []string, cell func(f *Fit, stage string) string) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n", title, text)
	header := []string{"stage"}
	for i := range fits {
		if fits[i].Refined {
			name := fmt.Sprintf("%d ranks", fits[i].Ranks)
			if fits[i].Ranks == 0 {
				name = "one process"
			}
			header = append(header, name)
		}
	}
	report.MarkdownHeader(b, header...)
	for _, stage := range stages {
		row := []string{stage}
		for i := range fits {
			if fits[i].Refined {
				row = append(row, cell(&fits[i], stage))
			}
		}
		report.MarkdownRow(b, row...)
	}
}

// stagesOf returns the stages of the refined fits, in their order.
func stagesOf(fits []Fit) (stages []string) {
	for i := range fits {
		if !fits[i].Refined || fits[i].Run.Ranks == nil {
			continue
		}
		for _, of := range fits[i].Run.Ranks.Stages {
			if !slices.Contains(stages, of.Name) {
				stages = append(stages, of.Name)
			}
		}
	}
	return stages
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// small returns a difference: 0 if there is none.
func small(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}
