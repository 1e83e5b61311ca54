package hotpath.multihistogram;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AtomicHistogram;

/** HdrHistogram's AtomicHistogram, for values from a nanosecond to an hour. */
final class HdrAtomic extends Histograms {
    private final AtomicHistogram[] all;

    private HdrAtomic(int n) {
        all = new AtomicHistogram[n];
        Arrays.setAll(all, i -> new AtomicHistogram(1, TimeUnit.HOURS.toNanos(1), DIGITS));
    }

    @Override
    void record(int histogram, long value) {
        all[histogram].recordValue(value);
    }

    @Override
    long count(int histogram) {
        return all[histogram].getTotalCount();
    }

    @Override
    Iterable<Bucket> buckets(int histogram) {
        return recorded(all[histogram]);
    }

    public static void main(String[] args) throws Exception {
        run(args, HdrAtomic::new);
    }
}
