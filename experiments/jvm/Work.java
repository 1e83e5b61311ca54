package hotpath;

/** How the workers of a mode spend a turn. */
interface Work {
    /** Makes a turn, while the workers are parked. */
    Turn begin(Order order);

    /** Worker i's part of a turn. */
    void work(Turn turn, int i, Worker worker);

    /** What was counted in a turn whose workers have parked. */
    Counted count(Turn turn);

    static Work of(Name name) {
        int threads = name.number("threads");
        return switch (name.get("mode")) {
            case "sample" -> new Sampling(threads);
            case "thrpt" -> new Throughput(threads);
            default -> throw new IllegalArgumentException(name.text() + ": no such mode");
        };
    }
}
