package explorer

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hotpath/internal/bench"
	"hotpath/internal/study"
)

func testThemes(t *testing.T, b *tab, _ *study.Experiment) {
	paper := func() string { return value[string](b, `getComputedStyle(document.body).backgroundColor`) }
	ink := func() string {
		return value[string](b, `getComputedStyle(document.querySelector("#contestants .chart svg")).color`)
	}
	b.media("light", "")
	light, lightInk := paper(), ink()
	b.media("dark", "")
	dark, darkInk := paper(), ink()
	if light == dark || lightInk == darkInk {
		t.Errorf("light %s on %s, dark %s on %s", lightInk, light, darkInk, dark)
	}
	b.click("#theme")
	if got := paper(); got != light {
		t.Errorf("the reader's light is %s, not %s", got, light)
	}
	b.click("#theme")
	b.media("light", "")
	if got := paper(); got != dark {
		t.Errorf("the reader's dark is %s, not %s", got, dark)
	}
	b.click("#theme")
	if got := paper(); got != light {
		t.Errorf("the system's is %s, not %s", got, light)
	}
}

// faults lists what reaches beyond the window, text that is too small, and labels
// of charts that are cut or lie on another.
const faults = `(() => {
	const bad = [];
	const seen = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length > 0);
	if (document.documentElement.scrollWidth > innerWidth) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const e of seen("main svg, header, form, h2, p, .key, .tools, .zoom")) {
		const r = e.getBoundingClientRect();
		if (r.right > innerWidth + 1) bad.push(e.tagName + " " + e.className + " ends at " + r.right);
	}
	for (const e of seen("body *")) {
		const size = parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement?.getScreenCTM().a ?? 1);
		if (size < 11 && [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "")) bad.push("text of " + size + " px: " + e.textContent);
	}
	for (const svg of seen(".chart > svg")) {
		const edge = svg.getBoundingClientRect();
		const texts = [...svg.querySelectorAll("text")].map((e) => ({text: e.textContent, r: e.getBoundingClientRect()})).filter(({r}) => r.width > 0);
		if (texts.length < 3) bad.push("only " + texts.length + " labels in " + svg.getAttribute("aria-label"));
		texts.forEach(({text, r}, i) => {
			if (r.left < edge.left - 1 || r.right > edge.right + 1) bad.push("cut label: " + text);
			for (const other of texts.slice(i + 1)) {
				const wide = Math.min(r.right, other.r.right) - Math.max(r.left, other.r.left);
				const high = Math.min(r.bottom, other.r.bottom) - Math.max(r.top, other.r.top);
				if (wide > 1 && high > 2) bad.push("overlapping labels: " + text + " and " + other.text);
			}
		});
	}
	return bad;
})()`

func testWidths(t *testing.T, b *tab, _ *study.Experiment) {
	for _, pixels := range []int64{390, 1280} {
		b.wide(pixels)
		for _, block := range []string{sampled, thrpt, fixed} {
			b.choose("block", block)
			value[bool](b, `(change({heat: 3}), true)`)
			for _, bad := range value[[]string](b, faults) {
				t.Errorf("%d px, %s: %s", pixels, block, bad)
			}
		}
	}
}

func testPrint(t *testing.T, b *tab, _ *study.Experiment) {
	b.media("dark", "print")
	b.wide(718) // A4 within its margins
	defer b.media("light", "")
	defer b.wide(1280)
	if got := value[string](b, `getComputedStyle(document.body).backgroundColor`); got != "rgb(255, 255, 255)" {
		t.Errorf("printed on %s", got)
	}
	if got := value[string](b, `getComputedStyle(document.querySelector("header .tools")).display`); got != "none" {
		t.Errorf("buttons are printed: %s", got)
	}
	for _, bad := range value[[]string](b, `[...document.querySelectorAll(".table")].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.parentElement.id)`) {
		t.Errorf("the table of %s is wider than the paper", bad)
	}
}

// A link shows what its writer saw.
func testLink(t *testing.T, b *tab, _ *study.Experiment) {
	b.choose("block", thrpt)
	b.choose("base", "peer")
	b.choose("find", "library")
	b.click("#place-f")
	b.click("#theme")
	b.click("#sort-name")
	value[bool](b, `(change({heat: 2, pick: "slow"}), true)`)
	const seen = `document.querySelector("main").innerText + document.documentElement.dataset.theme`
	before, address := value[string](b, seen), value[string](b, `location.href`)
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	if got := value[string](b, seen); got != before {
		t.Errorf("%s shows\n%s\nand not\n%s", address, got, before)
	}
	value[bool](b, `(location.hash = "#block=nonsense&unit=&base=%3Cb%3E&place=x&heat=1e9&tail=a,b&hide=&sort=y", true)`)
	b.until(`view.sort === "y"`)
	if got := b.contestants(); got == "" {
		t.Error("an address that means nothing shows nothing")
	}
}

// upload opens a page in the page, as the run to compare with.
func (b *tab) upload(page []byte) {
	b.t.Helper()
	b.do(chromedp.SetUploadFiles(chromedp.ID("file"), []string{file(b.t, page)}, chromedp.NodeReady))
	b.until(`byID("message").textContent !== ""`)
}

func testComparison(t *testing.T, b *tab, _ *study.Experiment) {
	e := made()
	cost := e.Cost
	e.Cost = func(c bench.Cell, heat, lap int) float64 {
		if c.Impl() == "mine" {
			return 3 * cost(c, heat, lap)
		}
		return cost(c, heat, lap)
	}
	second := runOf(claimed(), e)
	b.upload(pageOf(t, second))
	want := second.Experiments[0].Blocks[0].Ratio(bench.MeanLatency, "base", "mine")
	got := b.cell("mine", 4)
	if !strings.Contains(got, told(want)) || !strings.Contains(got, "lie apart") {
		t.Errorf("the other run: %s, want %s", got, told(want))
	}
	if got := b.cell("peer", 4); strings.Contains(got, "lie apart") {
		t.Errorf("the peer is the same: %s", got)
	}
	if n := value[int](b, `document.querySelectorAll("#contestants .others circle, #contestants .others path").length`); n != 5 {
		t.Errorf("%d marks of the other run", n)
	}
	b.click("#close")
	if others := value[int](b, `document.querySelectorAll("#contestants .others circle, #contestants .others path").length`); others != 0 || b.text("#message") != "" {
		t.Error("the other run cannot be closed")
	}
	b.upload([]byte("<p>nothing"))
	if got := b.text("#message"); !strings.Contains(got, "cannot be compared") {
		t.Errorf("a page without data: %s", got)
	}
}

// What a run says is shown and does nothing.
func testHostile(t *testing.T, b *tab, _ *study.Experiment) {
	e, f := made(), claimed()
	hostile := `</script><img src=x onerror="window.hacked=1"><script>window.hacked=2</script>`
	e.Cells[3].About, e.Cells[3].Holds, f.Claims[0].Text = hostile, hostile, hostile
	run := runOf(f, e)
	run.Manifest.Machine.CPU, run.Name = hostile, hostile
	b.open(file(t, pageOf(t, run)))
	for _, selector := range []string{"#contestants tbody", "#claims tbody", "#run", "#method"} {
		if got := b.text(selector); !strings.Contains(got, hostile) {
			t.Errorf("%s does not show it: %s", selector, got)
		}
	}
	if value[bool](b, `window.hacked !== undefined || document.querySelector("img") !== null`) {
		t.Error("it did something")
	}
}
