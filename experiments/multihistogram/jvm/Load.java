package hotpath.multihistogram;

/**
 * Draws the updates of one worker: which histogram, and with which value. They are
 * those of the Go package internal/contest, whose Load says what they are and why.
 */
final class Load {
    private static final int VALUES = 4096;
    private static final int JITTER = 256;
    private static final int[] TABLE = table();

    private final long n;
    private long state;

    /** A load over n histograms. The same seed draws the same updates. */
    Load(long seed, int n) {
        this.n = n;
        state = seed * 0x9e3779b97f4a7c15L;
    }

    /** Draws an update, to be taken apart by histogram and value. */
    long next() {
        state += 0xa0761d6478bd642fL;
        long other = state ^ 0xe7037ed1a0b428dbL;
        return unsignedMultiplyHigh(state, other) ^ state * other;
    }

    /** The number of the histogram of an update, from 0. */
    int histogram(long update) {
        return (int) ((update >>> 32) * n >>> 32);
    }

    long value(long update) {
        long base = TABLE[(int) (update & VALUES - 1)];
        return base + (base * (update >>> 12 & JITTER - 1) >> 14);
    }

    /** So many values that divide the distribution into equal shares, in ascending order. */
    static long[] spread(int n) {
        long[] values = new long[n];
        for (int i = 0; i < n; i++) {
            values[i] = TABLE[(2 * i + 1) * VALUES / (2 * n)];
        }
        return values;
    }

    private static long unsignedMultiplyHigh(long a, long b) {
        return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
    }

    /** The quantiles of the distribution at the middles of as many equal shares. */
    private static int[] table() {
        double median = 1e6;
        int[] table = new int[VALUES];
        for (int i = 0; i < VALUES; i++) {
            table[i] = (int) (median * Math.exp(Normal.quantile((i + 0.5) / VALUES)));
        }
        return table;
    }
}
