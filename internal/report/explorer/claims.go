package explorer

import (
	"slices"

	"hotpath/internal/study"
)

// claimData is a published statement and what became of it.
type claimData struct {
	ID        string     `json:"id"`
	Text      string     `json:"text"`
	Block     int        `json:"block"` // -1 where the run did not measure it
	Unit      int        `json:"unit"`
	Published []number   `json:"published"` // lowest and highest ratio; the second is missing where there is none, both where no ratio is published
	Pairs     []pairData `json:"pairs"`
	Verdict   string     `json:"verdict"`
	Reason    string     `json:"reason"`
}

type pairData struct {
	Baseline  string  `json:"baseline"`
	Candidate string  `json:"candidate"`
	Ratio     *figure `json:"ratio"` // at the level of the claims
}

func claimsOf(x *study.Experiment) []claimData {
	var all []claimData
	for _, v := range x.Judgement.Verdicts {
		c := claimData{
			ID: v.Claim.ID, Text: v.Claim.Text, Unit: indexOf(v.Claim.Metric), Published: published(v.Claim),
			Verdict: string(v.Word), Reason: v.Reason,
			Block: slices.IndexFunc(x.Blocks, func(b *study.Block) bool { return b.Block == v.Claim.Block }),
		}
		for _, p := range v.Comparisons {
			c.Pairs = append(c.Pairs, pairData{p.Baseline, p.Candidate, figureOf(p.Interval, true)})
		}
		all = append(all, c)
	}
	return all
}

// published is the ratios that a claim predicts.
func published(c study.Claim) []number {
	switch c.Kind {
	case study.Ratio:
		return []number{number(c.Published), number(c.Published)}
	case study.Range:
		return []number{number(c.Low), number(c.High)}
	case study.AtLeast:
		return []number{number(c.Published)}
	}
	return nil
}
