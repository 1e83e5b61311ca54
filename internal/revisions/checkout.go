package revisions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hotpath/internal/compare"
)

// workTree is the name of the work tree as it is, instead of a revision.
const workTree = "."

// tree is the files of one side in a folder of their own. What is built from it is
// built again and again, so it must not change when somebody edits the work tree.
type tree struct {
	name  string // that was asked for
	about string // what that is
	dir   string // that was asked about, in the copy
}

// checkOut puts the files of a revision, or those of the work tree, into the folder
// to, which does not exist yet. The folder dir is one of the repository. Git reads
// the repository and writes nothing to it: it gets an index of its own, so that there
// is nothing to undo when all ends early. Of the work tree come the files that git
// knows or would add.
func checkOut(ctx context.Context, dir, name, to string) (tree, error) {
	t := tree{name: name}
	top, err := git(ctx, dir, "", "rev-parse", "--show-toplevel")
	if err != nil {
		return t, fmt.Errorf("%s: revisions are compared in a git repository: %w", compare.Show(dir), err)
	}
	below, err := git(ctx, dir, "", "rev-parse", "--show-prefix")
	if err != nil {
		return t, err
	}
	t.dir = filepath.Join(to, filepath.FromSlash(below))
	if name == workTree {
		t.about, err = copyWorkTree(ctx, top, to)
	} else {
		t.about, err = copyCommit(ctx, dir, top, name, to)
	}
	if err != nil {
		return t, err
	}
	if _, err := os.Stat(t.dir); errors.Is(err, fs.ErrNotExist) {
		return t, fmt.Errorf("%s has no files in %s", compare.Show(name), compare.Show(cmp.Or(below, "./")))
	}
	return t, nil
}

// copyCommit writes the files of a revision and says which commit it is.
func copyCommit(ctx context.Context, dir, top, name, to string) (string, error) {
	commit, err := git(ctx, dir, "", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", fmt.Errorf("%s is no revision here", compare.Show(name))
	}
	index := to + ".index"
	if _, err := git(ctx, top, index, "read-tree", commit); err != nil {
		return "", err
	}
	_, err = git(ctx, top, index, "checkout-index", "--all", "--prefix="+to+string(filepath.Separator))
	return "commit " + short(commit), err
}

func short(commit string) string { return commit[:min(len(commit), 10)] }

// copyWorkTree copies the work tree's files and says how it differs from its commit.
func copyWorkTree(ctx context.Context, top, to string) (string, error) {
	list, err := git(ctx, top, "", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return "", err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(list, "\x00"), "\x00") {
		err := copyFile(filepath.Join(top, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that was deleted since it was added
			return "", err
		}
	}
	changed, err := git(ctx, top, "", "status", "--porcelain")
	if err != nil {
		return "", err
	}
	head, err := git(ctx, top, "", "rev-parse", "--verify", "--quiet", "HEAD")
	switch {
	case err != nil:
		return "the work tree", nil
	case changed == "":
		return "the work tree, which is commit " + short(head), nil
	default:
		return "the work tree, changed since commit " + short(head), nil
	}
}

// copyFile copies a file or a symbolic link. A folder, which a submodule is, is left
// out.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || info.IsDir() {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm()|0o200)
}

// git runs git in a folder, with an index of its own unless that is empty, and
// returns what it says without the last line's end.
func git(ctx context.Context, dir, index string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0") // status would refresh the index
	if index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+index)
	}
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		return "", fmt.Errorf("git %s: %s", args[0], firstLine(string(failed.Stderr)))
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// firstLine is the first line of a program's words that is no heading.
func firstLine(words string) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return compare.Show(line)
		}
	}
	return "no words"
}
