package chart

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

// A theme is the colours of one version of a chart. A hue means a role wherever
// it is drawn, and a shade of it one contestant: the first shade stands for the
// role. Hues are Okabe and Ito's, which people who confuse red and green tell
// apart; lighter ones on dark.
type theme struct {
	background, ink, muted, grid, band color.NRGBA
	shades                             map[bench.Role][]color.NRGBA
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

func colours(hexes ...uint32) (cs []color.NRGBA) {
	for _, h := range hexes {
		cs = append(cs, rgb(h))
	}
	return cs
}

// faint is a colour for what few heats stand behind, and for many marks that lie
// over one another.
func faint(c color.NRGBA) color.NRGBA {
	c.A = 100
	return c
}

// sure is the colour of a figure's text: ink, or muted where few heats stand
// behind it.
func (t theme) sure(iv study.Interval) color.NRGBA {
	if iv.Level == 0 {
		return t.muted
	}
	return t.ink
}

var light = theme{
	background: rgb(0xFFFFFF), ink: rgb(0x1F2328), muted: rgb(0x59636E), grid: rgb(0xE3E6E9), band: rgb(0xDCEAF5),
	shades: map[bench.Role][]color.NRGBA{
		bench.Published: colours(0xD55E00, 0xE69F00, 0xCC79A7, 0x882255, 0x7F4F1F),
		bench.Ours:      colours(0x0072B2, 0x56B4E9, 0x332288, 0x6F8FAF, 0x1B4F72),
		bench.Peer:      colours(0x009E73, 0x999933, 0x117733, 0x44AA99, 0x6B8E23),
		bench.Plain:     colours(0x3D3D3D),
		bench.Floor:     colours(0x59636E),
	},
}

var dark = theme{
	background: rgb(0x0D1117), ink: rgb(0xE6EDF3), muted: rgb(0x9198A1), grid: rgb(0x262C33), band: rgb(0x1B3145),
	shades: map[bench.Role][]color.NRGBA{
		bench.Published: colours(0xFF8F4A, 0xF2C14E, 0xE7A5CB, 0xD1709F, 0xC79A6B),
		bench.Ours:      colours(0x58A6E8, 0xA8DCFF, 0x9A8CFF, 0xB0C4DE, 0x7FB2E5),
		bench.Peer:      colours(0x2FC79B, 0xC9C95A, 0x5FBF6F, 0x8FE0D0, 0xA9C46C),
		bench.Plain:     colours(0xD0D7DE),
		bench.Floor:     colours(0x9198A1),
	},
}

// shade is the colour of a role's contestant of that number, from 0.
func (t theme) shade(r bench.Role, n int) color.NRGBA {
	if r == bench.Control {
		r = bench.Published
	}
	return t.shades[r][n%len(t.shades[r])]
}

// A look is how a contestant is drawn by its role, in shape and in colour.
type look struct {
	role  bench.Role
	shape shape
	text  string // explains it
}

// looks are in the order of the key line.
var looks = []look{
	{bench.Ours, disc, "ours"},
	{bench.Published, square, "published study's"},
	{bench.Peer, up, "other libraries"},
	{bench.Plain, right, "without a library"},
	{bench.Floor, diamond, "floor: the least possible"},
	{bench.Control, down, "control: same code again"},
}

func lookOf(r bench.Role) look {
	return looks[slices.IndexFunc(looks, func(l look) bool { return l.role == r })]
}

func (l look) colour(t theme) color.NRGBA { return t.shade(l.role, 0) }

func (l look) draw(c *canvas, x, y, r vg.Length) { c.mark(l.shape, l.colour(c.theme), x, y, r) }

// roleKeys explains the marks of those roles that are present.
func roleKeys(rows []*study.Row) []key {
	present := map[bench.Role]bool{}
	for _, r := range rows {
		present[r.Role] = true
	}
	var keys []key
	for _, l := range looks {
		if present[l.role] {
			keys = append(keys, key{func(c *canvas, x, y vg.Length) { l.draw(c, x, y, 3.8) }, l.text})
		}
	}
	if slices.ContainsFunc(rows, func(r *study.Row) bool { return r.Holds != "" }) {
		keys = append(keys, key{func(c *canvas, x, y vg.Length) { c.text(plain, c.ink, draw.XCenter, x, y, dagger) }, "its caller holds a handle, number or batch"})
	}
	return keys
}

// dashes tell series apart where colours do not.
var dashes = [][]vg.Length{nil, {7, 2.5}, {2.5, 2}, {9, 2.5, 2, 2.5}, {12, 3}}

// stroke is the colour, width and dashes of a contestant's own line.
func (d *drawing) stroke(t theme, impl string, role bench.Role) (color.NRGBA, vg.Length, []vg.Length) {
	n := d.tints[impl]
	switch role {
	case bench.Floor:
		return t.muted, 1.1, []vg.Length{1, 2}
	case bench.Control:
		return t.shade(role, n), 0.9, []vg.Length{1, 1.5}
	}
	return t.shade(role, n), 1.7, dashes[n%len(dashes)]
}
