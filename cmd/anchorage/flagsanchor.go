// This file holds the flags of anchors and topics.

package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/model/fit"
)

// anchorFlags say how topics are found.
type anchorFlags struct {
	rowSums   string
	minDF     int64
	relevance string
	polish    string
	evidence  bool
}

func (f *anchorFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.rowSums, "row-sums", "factor", "row sums that divide co-occurrences: factor, those of the factor; exact, counted with the documents")
	flags.Int64Var(&f.minDF, "anchor-min-df", 1, "take anchors from items in at least this many documents")
	flags.StringVar(&f.polish, "polish", "factor", "factor finds mixtures a second time, from the mean rows of the items that belong mostly to one topic; none keeps the mixtures that the anchors give")
	if flags.Lookup("evidence") == nil {
		flags.BoolVar(&f.evidence, "evidence", true, "use how far each item's row can be trusted")
	} else {
		f.evidence = true // fit: the flag of the sketch decides, since there is no evidence without its pass
	}
	flags.StringVar(&f.relevance, "relevance", "auto", "order of a topic's prominent items: 1 puts the most probable first; towards 0, those most peculiar to the topic; auto is 1 with weights, 0.6 without, and 0.9 once refined for reading")
}

// into sets the options of the anchors.
func (f *anchorFlags) into(options *fit.Options) error {
	o := &options.Anchor
	o.MinDF, o.NoEvidence, o.NoPolish = f.minDF, !f.evidence, f.polish == "none"
	if f.rowSums == "exact" {
		o.RowSums = anchor.RowSumsExact
	}
	if err := oneOf("--row-sums", f.rowSums, "factor", "exact"); err != nil {
		return err
	}
	if err := oneOf("--polish", f.polish, "factor", "none"); err != nil {
		return err
	}
	if f.minDF < 0 {
		return &usageError{errors.New("--anchor-min-df cannot be negative")}
	}
	if f.relevance != "auto" {
		var err error
		if o.Relevance, err = strconv.ParseFloat(f.relevance, 64); err != nil || !(o.Relevance > 0 && o.Relevance <= 1) {
			return &usageError{fmt.Errorf("--relevance is %q: use auto or a number above 0 and up to 1", f.relevance)}
		}
	}
	return nil
}
