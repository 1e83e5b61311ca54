package contest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// TestInlining asks the compiler whether it inlines what the measured loops of a
// file call, and fails where it does not and the function around the loop is not
// named in called, or the other way round. A measured loop is one over the
// parameter n. What it calls on its Load, named l, must inline whoever is
// measured. The file belongs to the package under test.
func TestInlining(t *testing.T, file string, called ...string) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	report, err := compilerReport()
	if err != nil {
		t.Fatalf("%v\n%s", err, report)
	}
	checked := 0
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		for _, call := range measuredCalls(f) {
			checked++
			p := fset.Position(call.Lparen)
			at := "./" + file + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": inlining call to "
			inlined := bytes.Contains(report, []byte(at))
			switch listed := slices.Contains(called, f.Name.Name) && !onLoad(call); {
			case !inlined && !listed:
				t.Errorf("%s: the call in the loop of %s is not inlined", p, f.Name.Name)
			case inlined && listed:
				t.Errorf("%s: the call in the loop of %s is inlined, but listed as not", p, f.Name.Name)
			}
		}
	}
	if checked < len(called) {
		t.Errorf("%s has %d measured calls, of which %d are listed as not inlined", file, checked, len(called))
	}
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
