package hotpath.multihistogram;

import java.util.Arrays;
import org.HdrHistogram.ConcurrentHistogram;

/** HdrHistogram's ConcurrentHistogram, which finds its range itself. */
final class HdrConcurrent extends Histograms {
    private final ConcurrentHistogram[] all;

    private HdrConcurrent(int n) {
        all = new ConcurrentHistogram[n];
        Arrays.setAll(all, i -> new ConcurrentHistogram(DIGITS));
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
        run(args, HdrConcurrent::new);
    }
}
