package contest

import "testing"

// The order of a function's own calls.
func TestOrderOfCalls(t *testing.T) {
	TestOrder(t, "order.go", "TestOrder", "token.NewFileSet", "parser.ParseFile", "ast.Inspect", "slices.Equal")
	TestOrder(t, "counter.go", "locked.Add", "c.mu.Lock", "c.mu.Unlock")
	TestOrder(t, "load.go", "NewLoad")
}
