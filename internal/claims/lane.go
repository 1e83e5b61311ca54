package claims

import "hotpath/internal/bench"

// InLane has the file's claims about a block, and what was published of it, as they
// are said of the same contestants in a block of a lane, where they have other names:
// renamed says which, and reports false of one that takes no part. The numbers that
// judge a claim stay what they are. A claim about a contestant without a part is left
// out.
func (f *File) InLane(lane string, from, to bench.Block, renamed func(impl string) (string, bool)) *File {
	in := &File{SHA256: f.SHA256}
	for _, c := range f.Claims {
		if c.Block != from || c.Lane != "" {
			continue
		}
		c.Lane, c.Block = lane, to
		if c.rename(renamed) {
			in.Claims = append(in.Claims, c)
		}
	}
	for _, p := range f.Published {
		impl, ok := renamed(p.Impl)
		if p.Block == from && ok {
			p.Impl, p.Block = impl, to
			in.Published = append(in.Published, p)
		}
	}
	return in
}

// rename gives the claim's contestants other names; it reports false where one has
// none.
func (c *Claim) rename(renamed func(string) (string, bool)) bool {
	if c.Kind != Order {
		var okBase, okCand bool
		c.Baseline, okBase = renamed(c.Baseline)
		c.Candidate, okCand = renamed(c.Candidate)
		return okBase && okCand
	}
	order := make([]string, len(c.Order))
	for i, impl := range c.Order {
		var ok bool
		if order[i], ok = renamed(impl); !ok {
			return false
		}
	}
	c.Order = order
	return true
}
