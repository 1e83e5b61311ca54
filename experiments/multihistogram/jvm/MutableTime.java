package hotpath.multihistogram;

import hotpath.counter.Counter;
import hotpath.counter.HBaseCounter;

/** HBase's MutableTimeHistogram: in an update, a FastLongHistogram and one more counter. */
final class MutableTime extends Histograms {
    private static final long EXPECTED = 300_000; // in milliseconds, as HBase expects them

    private final FastLongHistogram[] values;
    private final Counter[] updates;

    private MutableTime(int n) {
        values = new FastLongHistogram[n];
        updates = new Counter[n];
        for (int i = 0; i < n; i++) {
            values[i] = new FastLongHistogram(HBaseCounter::new, 1, EXPECTED);
            updates[i] = new HBaseCounter();
            FastLongs.settle(values[i]);
        }
    }

    @Override
    void record(int histogram, long value) {
        updates[histogram].add(1);
        values[histogram].add(value, 1);
    }

    @Override
    long count(int histogram) {
        return updates[histogram].get();
    }

    @Override
    Iterable<Bucket> buckets(int histogram) {
        return values[histogram].buckets();
    }

    public static void main(String[] args) throws Exception {
        run(args, MutableTime::new);
    }
}
