package hotpath.multihistogram;

import hotpath.counter.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * HBase's FastLongHistogram, written from a description of what it does: bins of equal
 * width between two bounds, one below them, one from the upper bound to ten times of
 * it, one beyond. Each bin, the number of values and their sum is a counter. Reset
 * places the bounds by the 1st and the 99th percentile.
 */
final class FastLongHistogram {
    private static final int LINEAR = 255;

    private final Supplier<Counter> counters;
    private volatile Bins bins;

    /** A histogram whose first bounds are a guess, until the first reset. */
    FastLongHistogram(Supplier<Counter> counters) {
        this.counters = counters;
        bins = new Bins(counters, 1, 1000, 10_000);
    }

    /** A histogram whose bounds are placed as after one value of low and one of high. */
    FastLongHistogram(Supplier<Counter> counters, long low, long high) {
        this(counters);
        Bins ends = bins;
        ends.add(low, 1);
        ends.add(high, 1);
        bins = ends.next(counters, 0.01, 0.999);
    }

    /** Adds a value so many times; one below 0 is dropped. */
    void add(long value, long times) {
        bins.add(value, times);
    }

    long count() {
        return bins.count.get();
    }

    /** Starts over with bounds that follow from what was added until now. */
    void reset() {
        bins = bins.next(counters, 0.01, 0.99);
    }

    List<Histograms.Bucket> buckets() {
        return bins.buckets();
    }

    private static final class Bins {
        private final long low;
        private final long high;
        private final long tenfold;
        private final Counter[] counts = new Counter[LINEAR + 3];
        private final Counter count;
        private final Counter total;
        private final AtomicLong min = new AtomicLong(Long.MAX_VALUE);
        private final AtomicLong max = new AtomicLong();
        private final Flag hasData = new Flag();

        Bins(Supplier<Counter> counters, long low, long high, long tenfold) {
            this.low = low;
            this.high = high;
            this.tenfold = tenfold;
            count = counters.get();
            total = counters.get();
            for (int i = 0; i < counts.length; i++) {
                counts[i] = counters.get();
            }
        }

        void add(long value, long times) {
            if (value < 0) {
                return;
            }
            for (long least = min.get(); value < least && !min.compareAndSet(least, value);) {
                least = min.get();
            }
            for (long most = max.get(); value > most && !max.compareAndSet(most, value);) {
                most = max.get();
            }
            count.add(times);
            total.add(value * times);
            counts[index(value)].add(times);
            hasData.set = true; // last: who reads it finds values
        }

        private int index(long value) {
            if (value < low) {
                return 0;
            }
            if (value > tenfold) {
                return counts.length - 1;
            }
            if (value >= high) {
                return counts.length - 2;
            }
            return 1 + (int) ((value - low) * LINEAR / (high - low));
        }

        /** Empty bins, whose bounds are two quantiles, moved apart as far as evenly spread values would reach. */
        Bins next(Supplier<Counter> counters, double lowest, double highest) {
            long[] q = quantiles(lowest, highest);
            long width = q[1] - q[0] + 1;
            long from = Math.max(0, (long) (q[0] - width * lowest));
            long end = (long) (q[1] + width * (1 - highest)) + 1;
            long to = Math.max(end, from + LINEAR); // a bin is at least 1 wide
            return new Bins(counters, from, to, Math.max(q[1] + (end - 1) * 9, to + 1));
        }

        /** Estimates of quantiles in ascending order, on a straight line inside each bin. */
        private long[] quantiles(double... shares) {
            long[] values = new long[shares.length];
            if (!hasData.set) {
                return values;
            }
            long[] held = new long[counts.length];
            long all = 0;
            for (int i = 0; i < held.length; i++) {
                held[i] = counts[i].get();
                all += held[i];
            }
            long least = min.get();
            long most = max.get();
            int next = 0;
            long before = 0;
            for (int i = 0; i < held.length; i++) {
                long from = Math.max(edge(i, least), least);
                long to = Math.min(i + 1 < held.length ? edge(i + 1, least) : most, most);
                if (to < least) {
                    continue;
                }
                if (from > most) {
                    break;
                }
                while (next < shares.length && all * shares[next] <= before + held[i]) {
                    double into = held[i] == 0 ? 0 : (all * shares[next] - before) * (to - from) / held[i];
                    values[next++] = (long) (into + from);
                }
                before += held[i];
            }
            while (next < shares.length) {
                values[next++] = most;
            }
            return values;
        }

        /** Where a bin begins, for a quantile. */
        private long edge(int i, long least) {
            if (i == 0) {
                return least;
            }
            if (i == counts.length - 1) {
                return tenfold;
            }
            return low + (i - 1) * (high - low) / LINEAR;
        }

        List<Histograms.Bucket> buckets() {
            List<Histograms.Bucket> all = new ArrayList<>();
            if (low > 0) {
                all.add(new Histograms.Bucket(0, counts[0].get()));
            }
            for (int i = 1; i < counts.length - 1; i++) { // from the smallest value of which the division gives the bin
                long from = low + ((i - 1) * (high - low) + LINEAR - 1) / LINEAR;
                all.add(new Histograms.Bucket(from, counts[i].get()));
            }
            all.add(new Histograms.Bucket(tenfold + 1, counts[counts.length - 1].get()));
            return all;
        }
    }

    /** A flag that every add sets, an object of its own. */
    private static final class Flag {
        volatile boolean set;
    }
}
