package contest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestOrder checks that a function or a method of the package under test, such as
// Group.Add, calls what is named in this order, however often it calls anything
// else. It is for steps between which no test can stop a goroutine, and of which
// the wrong order loses an update in a million.
func TestOrder(t *testing.T, file, function string, calls ...string) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || nameOf(f) != function {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				var text bytes.Buffer
				if err := printer.Fprint(&text, fset, call.Fun); err != nil {
					t.Fatal(err)
				}
				if slices.Contains(calls, text.String()) {
					got = append(got, text.String())
				}
			}
			return true
		})
	}
	if !slices.Equal(got, calls) {
		t.Errorf("%s calls %s; want %s", function, strings.Join(got, ", "), strings.Join(calls, ", "))
	}
}

// nameOf is a function's name, behind that of its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	return receiver.(*ast.Ident).Name + "." + f.Name.Name
}
