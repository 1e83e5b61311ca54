package hotpath.multihistogram;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.HistogramIterationValue;

/** A number of fresh histograms of one kind. A process loads one kind. */
abstract class Histograms {
    /** Updates that make up an operation. */
    static final int UPDATES = 10;

    /** Values that each histogram has got before the first operation, so that what grows with them has grown. */
    private static final int FILL = 512;

    /** Significant digits to which those of HdrHistogram's kind tell values apart. */
    static final int DIGITS = 3;

    /** Values of the load that the contents are told of. */
    private static final int TOLD = 1_000_000;

    abstract void record(int histogram, long value);

    /** How many values a histogram holds. */
    abstract long count(int histogram);

    /**
     * The buckets of a histogram, in ascending order: of each the smallest value that it
     * can hold and how many it holds. Empty ones may be left out.
     */
    abstract Iterable<Bucket> buckets(int histogram);

    record Bucket(long from, long count) {}

    /** The buckets of a histogram of HdrHistogram's kind. */
    static List<Bucket> recorded(AbstractHistogram h) {
        List<Bucket> buckets = new ArrayList<>();
        for (HistogramIterationValue v : h.recordedValues()) {
            buckets.add(new Bucket(h.lowestEquivalentValue(v.getValueIteratedTo()), v.getCountAtValueIteratedTo()));
        }
        return buckets;
    }

    /**
     * Measures histograms of a kind, if the argument is a benchmark's name; if it is the
     * word buckets, records values of the load in one and prints its buckets.
     */
    static void run(String[] args, IntFunction<Histograms> kind) throws Exception {
        if (args[0].equals("buckets")) {
            tell(kind.apply(1));
            return;
        }
        Name name = new Name(args[0]);
        int n = name.number("histograms");
        Histograms all = kind.apply(n);
        for (long value : Load.spread(FILL)) {
            for (int i = 0; i < n; i++) {
                all.record(i, value);
            }
        }
        long filled = all.total(n);
        AtomicLong workers = new AtomicLong();
        Fork.run(name, () -> all.new Updates(workers.incrementAndGet(), n), () -> (all.total(n) - filled) / UPDATES);
    }

    private long total(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            sum += count(i);
        }
        return sum;
    }

    private static void tell(Histograms one) {
        Load load = new Load(1, 1);
        for (int i = 0; i < TOLD; i++) {
            one.record(0, load.value(load.next()));
        }
        for (Bucket b : one.buckets(0)) {
            System.out.println(b.from + " " + b.count);
        }
    }

    /** Makes updates as its own load draws them. */
    private final class Updates extends Worker {
        private final Load load;

        Updates(long seed, int n) {
            load = new Load(seed, n);
        }

        @Override
        protected void operation() {
            for (int i = 0; i < UPDATES; i++) {
                long update = load.next();
                record(load.histogram(update), load.value(update));
            }
        }
    }
}
