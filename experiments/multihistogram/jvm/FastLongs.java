package hotpath.multihistogram;

import hotpath.counter.Counter;
import java.util.function.Supplier;

/** FastLongHistograms that have been through some periods, as in a server that has run for a while. */
final class FastLongs extends Histograms {
    private static final int PERIODS = 3;
    private static final int PERIOD_VALUES = 512;

    private final FastLongHistogram[] all;

    FastLongs(int n, Supplier<Counter> counters) {
        all = new FastLongHistogram[n];
        for (int i = 0; i < n; i++) {
            all[i] = new FastLongHistogram(counters);
            settle(all[i]);
        }
    }

    static void settle(FastLongHistogram h) {
        for (int period = 0; period < PERIODS; period++) {
            for (long value : Load.spread(PERIOD_VALUES)) {
                h.add(value, 1);
            }
            h.reset();
        }
    }

    @Override
    void record(int histogram, long value) {
        all[histogram].add(value, 1);
    }

    @Override
    long count(int histogram) {
        return all[histogram].count();
    }

    @Override
    Iterable<Bucket> buckets(int histogram) {
        return all[histogram].buckets();
    }
}
