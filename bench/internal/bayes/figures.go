// This file computes what a page shows beyond expressions: what more topics gain, and Figure 11.4.

package bayes

import (
	"fmt"
	"io"
	"maps"
	"math"
	"strconv"

	"anchorage/bench/internal/show"
)

// gains adds to the fits of a view by how much each predicts better than the one with the next smaller number of topics
// (gain, with doubled where that is half as many) and than the one with the fewest (rise), of the same settings and
// seed. The fit with the most topics has most.
func gains(v show.View) show.View {
	out := v
	out.Columns = append(append([]string{}, v.Columns...), "gain", "doubled", "rise", "most")
	out.Rows = nil
	const settings = "corpus,most_items,max_df_ratio,piece,limit,model,algorithm,batch_size,t0,epochs,priors,seed"
	for _, of := range v.Sort("topics").By(settings) {
		for i, row := range of.Rows {
			with := map[string]string{"gain": "", "doubled": "", "rise": "", "most": strconv.FormatBool(i == len(of.Rows)-1)}
			if i > 0 {
				before := of.Rows[i-1]
				with["gain"], with["rise"] = less(row, before, "set_aside"), less(row, of.Rows[0], "set_aside")
				with["doubled"] = strconv.FormatBool(less(row, before, "topics") == before["topics"])
			}
			maps.Copy(with, row)
			out.Rows = append(out.Rows, with)
		}
	}
	return out
}

// less returns by how much a number is greater in one row than in another.
func less(a, b show.Row, column string) string {
	x, _ := strconv.ParseFloat(a[column], 64)
	y, _ := strconv.ParseFloat(b[column], 64)
	return strconv.FormatFloat(x-y, 'g', -1, 64)
}

// blocks draws correlations as Figure 11.4: green squares for positive ones and red ones on a corner for negative ones,
// with an area in proportion to the correlation. The colours are the bluish green and the vermillion of Okabe & Ito,
// which the colour-blind can tell apart.
func blocks(file string, v show.View) (string, error) {
	const cell, margin = 14, 28
	if v.Empty() {
		return "", nil
	}
	return v.Save(file, func(w io.Writer) error {
		n := int(math.Sqrt(float64(len(v.Rows))))
		side := n*cell + 2*margin
		fmt.Fprintf(w,
			`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[1]d" font-family="sans-serif" font-size="10">`+
				"\n"+`<rect width="%[1]d" height="%[1]d" fill="#fff"/>`+"\n", side)
		for i := 0; i <= n; i++ {
			at := margin + i*cell
			fmt.Fprintf(w, `<path d="M%d %dV%dM%[2]d %[1]dH%[3]d" stroke="#e4e4e4"/>`+"\n", at, margin, side-margin)
			if i < n && (i == 0 || i%5 == 4) {
				fmt.Fprintf(w,
					`<text x="%d" y="%d" text-anchor="end">%d</text><text x="%d" y="%d" text-anchor="middle">%[3]d</text>`+"\n",
					margin-4, at+cell-4, i+1, at+cell/2, margin-6)
			}
		}
		for _, row := range v.Rows {
			i, _ := strconv.Atoi(row["topic"])
			j, _ := strconv.Atoi(row["other"])
			value, _ := strconv.ParseFloat(row["correlation"], 64)
			half, shape, color := cell/2*math.Sqrt(math.Abs(value)), "M%.1[1]f %.1[1]fH%.1[2]fV%.1[2]fH%.1[1]fZ", "#009e73"
			if value < 0 {
				shape, color = "M0 %.1[1]fL%.1[2]f 0L0 %.1[2]fL%.1[1]f 0Z", "#d55e00"
			}
			fmt.Fprintf(w, `<path transform="translate(%d %d)" d="%s" fill="%s"/>`+"\n", margin+(j-1)*cell+cell/2,
				margin+(i-1)*cell+cell/2, fmt.Sprintf(shape, -half, half), color)
		}
		_, err := io.WriteString(w, "</svg>\n")
		return err
	})
}
