package hotpath;

/** A benchmark's name, such as BenchmarkAdd/impl=jvm_atomic/mode=sample/threads=32. */
public record Name(String text) {
    /** The value of a key; a name without the key is an error. */
    public String get(String key) {
        for (String part : text.split("/")) {
            if (part.startsWith(key + "=")) {
                return part.substring(key.length() + 1);
            }
        }
        throw new IllegalArgumentException(text + " has no /" + key + "=");
    }

    /** The value of a key that is a number. */
    public int number(String key) {
        return Integer.parseInt(get(key));
    }

    /** The name as Go prints it: with GOMAXPROCS at its end where that is not 1. */
    String printed() {
        String procs = System.getenv().getOrDefault("GOMAXPROCS", "1");
        return procs.equals("1") ? text : text + "-" + procs;
    }
}
