package contest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// TestInlining asks the compiler whether it inlines what the measured loop of a
// row calls, and fails where it does and the row says that it is called, or the
// other way round. The row's New is a function of the package under test, or was
// returned by one; a measured loop is one over the parameter n. What it calls on
// its Load, named l, must inline whoever is measured.
func TestInlining(t *testing.T, new any, called bool) {
	if strconv.IntSize < 64 {
		t.Skip("the compiler inlines less on 32-bit machines, which nobody measures")
	}
	fset := token.NewFileSet()
	f, err := declaration(fset, new)
	if err != nil {
		t.Fatal(err)
	}
	report, err := compilerReport()
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	seen := false // a call that is the contestant's
	for _, call := range measuredCalls(f) {
		p := fset.Position(call.Lparen)
		at := fmt.Sprintf("./%s:%d:%d: inlining call to ", p.Filename, p.Line, p.Column)
		inlined := bytes.Contains(report, []byte(at))
		seen = seen || !onLoad(call)
		switch listed := called && !onLoad(call); {
		case !inlined && !listed:
			t.Errorf("%s: the call in the loop of %s is not inlined", p, f.Name.Name)
		case inlined && listed:
			t.Errorf("%s: the call in the loop of %s is inlined, but its row says that it is called", p, f.Name.Name)
		}
	}
	if called && !seen {
		t.Errorf("%s has no measured call, though its row says that it is called", f.Name.Name)
	}
}

// declaration finds the function that new is, or that it was made in.
func declaration(fset *token.FileSet, new any) (*ast.FuncDecl, error) {
	f := runtime.FuncForPC(reflect.ValueOf(new).Pointer())
	file, line := f.FileLine(f.Entry())
	tree, err := parser.ParseFile(fset, filepath.Base(file), nil, 0)
	if err != nil {
		return nil, err
	}
	for _, decl := range tree.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok && fset.Position(d.Pos()).Line <= line && line <= fset.Position(d.End()).Line {
			return d, nil
		}
	}
	return nil, fmt.Errorf("%s:%d: no function is declared around %s", file, line, f.Name())
}

// compilerReport is what the compiler says of the package under test.
var compilerReport = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "test", "-c", "-gcflags=-m", "-o", os.DevNull, ".").CombinedOutput()
})

// onLoad reports whether a call draws an update.
func onLoad(call *ast.CallExpr) bool {
	receiver, ok := call.Fun.(*ast.SelectorExpr).X.(*ast.Ident)
	return ok && receiver.Name == "l"
}

// measuredCalls returns the method calls in f's loops over n.
func measuredCalls(f *ast.FuncDecl) []*ast.CallExpr {
	var calls []*ast.CallExpr
	ast.Inspect(f, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		if over, ok := loop.X.(*ast.Ident); !ok || over.Name != "n" {
			return true
		}
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if _, method := call.Fun.(*ast.SelectorExpr); method {
					calls = append(calls, call)
				}
			}
			return true
		})
		return false
	})
	return calls
}
