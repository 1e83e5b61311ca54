package explorer

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// names are those by which Chromium is installed.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// limit is how long Chromium may take, on a machine with other things to do.
const limit = 5 * time.Minute

// tab is a page in a headless Chromium, with all that went wrong in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	opened   []string // by the test
	requests []string
	messages []string
}

// openTab starts Chromium, or skips the test where there is none.
func openTab(t *testing.T) *tab {
	t.Helper()
	path := ""
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skipf("none of %v is installed: the page is not opened", names)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception.Description))
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, fmt.Sprint("console: ", e.Type))
	case *log.EventEntryAdded:
		b.messages = append(b.messages, e.Entry.Text)
	}
}

// file writes a page to disk and returns its path.
func file(t *testing.T, page []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(name, page, 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// open shows a page from disk.
func (b *tab) open(path string) {
	b.t.Helper()
	b.opened = append(b.opened, "file://"+path)
	b.do(chromedp.Navigate("file://" + path))
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// value is that of an expression in the page.
func value[T any](b *tab, script string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatalf("%.300s: %v", script, err)
	}
	return v
}

// until waits for a condition in the page.
func (b *tab) until(condition string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))); err != nil {
		b.t.Fatalf("%s: %v", condition, err)
	}
}

// choose sets a control to a value, as a reader does.
func (b *tab) choose(id, to string) {
	b.t.Helper()
	value[bool](b, fmt.Sprintf(`(() => {
		const e = document.getElementById(%q);
		e.value = %q;
		e.dispatchEvent(new Event(e.type === "search" ? "input" : "change", {bubbles: true}));
		return true;
	})()`, id, to))
}

// click clicks on the first element of a selector, wherever the page has it.
func (b *tab) click(selector string) {
	b.t.Helper()
	at := b.middle(selector)
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

// hover moves the mouse over the middle of an element.
func (b *tab) hover(selector string) {
	b.t.Helper()
	at := b.middle(selector)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
}

// middle scrolls an element into view, and is where its middle then is.
func (b *tab) middle(selector string) []float64 {
	b.t.Helper()
	return value[[]float64](b, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`, selector))
}

// drag draws the mouse over the middle of an element.
func (b *tab) drag(selector string) {
	b.t.Helper()
	at := value[[]float64](b, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return [r.x, r.y + r.height / 2, r.width];
	})()`, selector))
	left := func(p *input.DispatchMouseEventParams) { p.Button, p.Buttons = input.MouseButtonLeft, 1 }
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, at[0]+0.3*at[2], at[1], left, chromedp.ClickCount(1)))
	for _, share := range []float64{0.4, 0.5, 0.6} {
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0]+share*at[2], at[1], left))
	}
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, at[0]+0.6*at[2], at[1], left, chromedp.ClickCount(1)))
}

// text is that of the first element of a selector.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`document.querySelector(%q).textContent`, selector))
}

// wide sets the width of the window.
func (b *tab) wide(pixels int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(pixels, 900))
}

// media sets what the system prefers, and what the page is shown on.
func (b *tab) media(scheme, medium string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// quiet fails the test where something went wrong in the page, or where it asked
// for something.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		b.t.Errorf("the page says: %s", m)
	}
	for _, url := range b.requests {
		if !slices.Contains(b.opened, url) {
			b.t.Errorf("the page asks for %s", url)
		}
	}
	b.messages, b.requests = nil, nil
}
