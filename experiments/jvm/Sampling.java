package hotpath;

import org.HdrHistogram.Histogram;

/**
 * Times every operation. Those that end in the counted part count, however early
 * they began: else a wait for a CPU would be cut short.
 */
final class Sampling implements Work {
    /** What one worker writes; nobody else reads it before it has parked. */
    private static final class Recorder {
        final Histogram histogram = newHistogram();
        long ops; // that count
        long all;
        long latency;
    }

    private final Recorder[] recorders;

    Sampling(int threads) {
        recorders = new Recorder[threads];
    }

    /** Latencies in nanoseconds, from one to an hour, to three significant digits. */
    static Histogram newHistogram() {
        return new Histogram(1, 3_600_000_000_000L, 3);
    }

    @Override
    public Turn begin(Order order) {
        for (Recorder r : recorders) {
            if (r != null && r.ops > 0) {
                r.histogram.reset();
            }
        }
        // The edges need times alone: each recorder knows what it has counted.
        return new Turn(order, () -> null);
    }

    @Override
    public void work(Turn turn, int i, Worker worker) {
        Recorder r = recorders[i];
        if (r == null) { // the first turn: a worker's recorder lies where its other memory does
            r = recorders[i] = new Recorder();
        }
        Histogram histogram = r.histogram;
        long ops = 0;
        long all = 0;
        long latency = 0;
        for (;;) {
            long start = System.nanoTime();
            worker.run(1);
            long end = System.nanoTime();
            all++;
            long phase = turn.phase();
            if (phase == Turn.OVER) {
                break;
            }
            if (phase == Turn.COUNTING) {
                histogram.recordValue(end - start);
                latency += end - start;
                ops++;
            }
            turn.look(end);
        }
        r.ops = ops;
        r.all = all;
        r.latency = latency;
    }

    @Override
    public Counted count(Turn turn) {
        Counted c = new Counted(recorders.length);
        c.wall = turn.closed - turn.opened;
        c.histogram = newHistogram();
        for (int i = 0; i < recorders.length; i++) {
            Recorder r = recorders[i];
            c.all += r.all;
            c.ops += r.ops;
            c.latency += r.latency;
            if (r.ops > 0) {
                c.ran[i] = true;
                c.histogram.add(r.histogram);
            }
        }
        return c;
    }
}
