package hotpath.multihistogram;

import hotpath.counter.HBaseCounter;

/** HBase's FastLongHistogram after HBASE-16146. */
final class FastLong {
    private FastLong() {}

    public static void main(String[] args) throws Exception {
        Histograms.run(args, n -> new FastLongs(n, HBaseCounter::new));
    }
}
