// This file holds Tables 11.3 and 11.4, the topics of a fit.

package bayes

import (
	"fmt"
	"strings"

	"anchorage/bayes"
	"anchorage/bench/internal/report"
)

// heldOut returns the test of a row of curves.csv.
func heldOut(row []any) bayes.HeldOut {
	return bayes.HeldOut{Documents: row[1].(int64), Tokens: row[2].(int64), LogLikelihood: row[3].(float64)}
}

// writeTopics writes Tables 11.3 and 11.4: the most probable topics of a fit, and every tenth of the others.
func writeTopics(b *strings.Builder, r *Record, topics *report.Table, fit int) {
	b.WriteString("\n## Topics\n\nThe most probable items of its most probable topics (Table 11.3).\n\n")
	report.MarkdownHeader(b, "topic:", "share:", "items")
	for _, row := range topics.Rows {
		if row[0].(int64) != int64(fit+1) {
			continue
		}
		k := int(row[1].(int64)) - 1
		if k == correlationTopics {
			b.WriteString("\nTopics with less probability, every tenth of them (Table 11.4).\n\n")
			report.MarkdownHeader(b, "topic:", "share:", "items")
		}
		if k < correlationTopics || k%10 == 0 {
			report.MarkdownRow(b, fmt.Sprint(k+1), fmt.Sprintf("%.2f %%", 100*row[2].(float64)), strings.ReplaceAll(row[3].(string), " ", ", "))
		}
	}
}
