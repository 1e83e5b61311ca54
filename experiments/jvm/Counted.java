package hotpath;

import org.HdrHistogram.Histogram;

/** What was counted in a turn, or in several. Times are nanoseconds. */
final class Counted {
    int turns;
    long ops;
    long all; // operations of the whole turn, lead-in included
    long wall;
    long whole; // from the release of the workers until all had parked
    long latency; // sum
    Usage used = Usage.NONE; // by all operations
    final boolean[] ran; // by worker: it ran in what is counted
    Histogram histogram; // of latencies, where operations are timed

    Counted(int threads) {
        ran = new boolean[threads];
    }

    void add(Counted more) {
        turns++;
        ops += more.ops;
        all += more.all;
        wall += more.wall;
        whole += more.whole;
        latency += more.latency;
        used = used.plus(more.used);
        for (int i = 0; i < ran.length; i++) {
            ran[i] |= more.ran[i];
        }
        if (histogram == null) {
            histogram = more.histogram;
        } else {
            histogram.add(more.histogram);
        }
    }

    int workers() {
        int n = 0;
        for (boolean r : ran) {
            n += r ? 1 : 0;
        }
        return n;
    }

    /** The line that tells the runner of a turn. */
    String answer() {
        long cpu = (long) ((double) used.cpu() * ops / all);
        return "turned ops=" + ops + " wall-ns=" + wall + " cpu-ns=" + cpu + " latency-ns=" + latency
                + " workers=" + workers() + " all-ops=" + all + " whole-ns=" + whole;
    }
}
