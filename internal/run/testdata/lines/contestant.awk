# A contestant in awk: it adds one to a number. See the package comment of
# internal/bench for the lines that it reads and writes.

function now(  command, t) {
	command = "date +%s.%N"
	command | getline t
	close(command)
	return t - begun
}

function cpu(  line, part) {
	getline line < "/proc/self/schedstat"
	close("/proc/self/schedstat")
	split(line, part, " ")
	return part[1]
}

# An awk may read ahead of what it needs, and wait for it: a shell does not.
function next_order(  command, got) {
	command = "read -r order && echo \"$order\""
	got = (command | getline order) > 0
	close(command)
	return got
}

function tell(line) {
	print line > answers
	fflush(answers)
}

function turn(ns, lead,  opened, used, n, all) {
	used = cpu()
	for (opened = now() + lead / 1e9; now() < opened; all += 2000)
		for (n = 0; n < 2000; n++) number++
	ops[last] = 0
	opened = now()
	do {
		for (n = 0; n < 2000; n++) number++
		ops[last] += 2000
	} while (now() < opened + ns / 1e9)
	wall[last] = (now() - opened) * 1e9
	all += ops[last]
	used = (cpu() - used) * ops[last] / all
	tell(sprintf("turned ops=%d wall-ns=%d cpu-ns=%d workers=1 all-ops=%d", ops[last], wall[last], used, all))
	last++
}

BEGIN {
	answers = "/dev/fd/3"
	begun = now()
	tell("ready held=4000000 most=4000000")
	while (next_order()) {
		split(order, word, " ")
		if (word[1] == "turn") {
			split(word[2], ns, "=")
			split(word[3], lead, "=")
			turn(ns[2], lead[2])
		} else if (word[1] == "end") {
			break
		} else {
			if (word[1] == "keep") {
				kept += ops[first]
				took += wall[first]
				turns++
			}
			first++
		}
	}
	print "Unit ops assume=nothing"
	print "Unit turns assume=nothing"
	print "Unit workers-run assume=nothing"
	printf "BenchmarkAdd/impl=awk/mode=thrpt/threads=1 \t1\t%f ns/op\t%d ops\t%d turns\t1 workers-run\n", kept ? took / kept : 0, kept, turns
}
