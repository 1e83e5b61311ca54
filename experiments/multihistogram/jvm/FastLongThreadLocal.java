package hotpath.multihistogram;

import hotpath.counter.HBaseThreadLocalCounter;

/** HBase's FastLongHistogram before HBASE-16146: each counter in it has a ThreadLocal. */
final class FastLongThreadLocal {
    private FastLongThreadLocal() {}

    public static void main(String[] args) throws Exception {
        Histograms.run(args, n -> new FastLongs(n, HBaseThreadLocalCounter::new));
    }
}
