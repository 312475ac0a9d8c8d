// This file writes the page of a folder of results.

package show

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"anchorage/internal/durable"
)

// Note explains a name in results: a method, a stage, a program.
type Note struct{ Name, Text string }

// Page is what a folder of results is shown by.
type Page struct {
	Title    string
	Template string
	Notes    []Note           // of the names in the tables, in the order that tables and charts have them
	Funcs    template.FuncMap // further functions of the template
	// Older, if not nil, says why results of a machine and commit are older than the code; "" if they are not.
	Older  func(machine string) string
	folder string
	tables map[string]View
}

// place returns where a name is in the notes; names without a note come last.
func (p *Page) place(name string) int {
	if at := slices.IndexFunc(p.Notes, func(n Note) bool { return n.Name == name }); at >= 0 {
		return at
	}
	return len(p.Notes)
}

// rows returns a table; one without rows where there is no such file.
func (p *Page) rows(name string) View {
	v := p.tables[name]
	v.page = p
	return v
}

// about lists the notes of the names in a column of a table.
func (p *Page) about(column string, v View) (string, error) {
	list := View{Columns: []string{column, "what it is"}}
	for _, note := range p.Notes {
		if slices.ContainsFunc(v.Rows, func(row Row) bool { return row[column] == note.Name }) {
			list.Rows = append(list.Rows, Row{column: note.Name, "what it is": note.Text})
		}
	}
	return list.Table()
}

// origin says when, by which commands and where the runs were made.
func (p *Page) origin() string {
	var b strings.Builder
	var older []string
	for _, from := range p.rows("runs").By("command,machine") {
		first, last := "", ""
		for _, row := range from.Rows {
			day, _, _ := strings.Cut(row["started"], "T")
			if first == "" || day < first {
				first = day
			}
			last = max(last, day)
		}
		when := "on " + first
		if first != last {
			when = "from " + first + " to " + last
		}
		count := fmt.Sprintf("%d runs", len(from.Rows))
		if len(from.Rows) == 1 {
			count = "1 run"
		}
		row := from.Rows[0]
		fmt.Fprintf(&b, "%s, made %s by\n\n```\n%s\n```\n\non\n\n- %s\n\n", count, when, row["command"],
			strings.ReplaceAll(row["machine"], "; ", "\n- "))
		if p.Older != nil {
			older = append(older, p.Older(row["machine"]))
		}
	}
	whose := "These results are older than the code"
	if slices.Contains(older, "") {
		whose = "Some of these results are older than the code"
	}
	slices.Sort(older)
	for _, why := range slices.Compact(older) {
		if why != "" {
			fmt.Fprintf(&b, "%s: %s.\n\n", whose, why)
		}
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}

// failures lists the runs that failed, by the given expression.
func (p *Page) failures(expression string) (string, error) {
	failed, err := p.rows("runs").Where("failure != ''")
	if err != nil || !p.rows("runs").Has("failure") || failed.Empty() {
		return "", nil
	}
	var b strings.Builder
	b.WriteString("\n## Runs that failed\n\n")
	for _, row := range failed.Rows {
		value, err := failed.evaluate(expression, []Row{row})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "- %s: %s\n", Readable(value), row["failure"])
	}
	return b.String(), nil
}

// Write reads the tables of a folder and writes its README.md and charts.
func (p Page) Write(folder string) error {
	var err error
	p.folder = folder
	if p.tables, err = readAll(folder); err != nil {
		return err
	}
	text, err := template.New(p.Title).Funcs(template.FuncMap{
		"rows":     p.rows,
		"about":    p.about,
		"origin":   p.origin,
		"failures": p.failures,
		"list":     func(texts ...string) []string { return texts },
		"where":    func(expression string, v View) (View, error) { return v.Where(expression) },
		"table":    func(v View) (string, error) { return v.Table() },
	}).Funcs(p.Funcs).Parse(p.Template)
	if err != nil {
		return err
	}
	for _, chart := range charts(folder) {
		if err := durable.Remove(chart); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", p.Title)
	if err := text.Execute(&b, &p); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folder, "README.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, tidy(b.String()))
		return err
	})
}

// charts are the charts of a folder, which a page makes again.
func charts(folder string) []string {
	paths, _ := filepath.Glob(filepath.Join(folder, "*.svg"))
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || !info.Mode().IsRegular()
	})
}

// tidy leaves one empty line between paragraphs.
func tidy(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}
