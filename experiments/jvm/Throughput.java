package hotpath;

import java.util.concurrent.atomic.AtomicLongArray;

/** Runs batches of operations, without a clock around them. */
final class Throughput implements Work {
    private static final int BATCH = 128;
    private static final int APART = 32; // longs between two workers' tallies

    // A worker looks at the clock about every so often, in nanoseconds: a reading
    // costs as much as some operations do.
    private static final long LOOK_AGAIN = 20_000;
    private static final long LOOK_OFTEN = 100_000;
    private static final int MAX_STRIDE = 1 << 12;

    private final int threads;
    private final AtomicLongArray tallies;

    Throughput(int threads) {
        this.threads = threads;
        this.tallies = new AtomicLongArray((threads + 1) * APART);
    }

    private static int slot(int i) {
        return i * APART + APART / 2;
    }

    private long[] read() {
        long[] ops = new long[threads];
        for (int i = 0; i < threads; i++) {
            ops[i] = tallies.get(slot(i));
        }
        return ops;
    }

    @Override
    public Turn begin(Order order) {
        for (int i = 0; i < threads; i++) {
            tallies.set(slot(i), 0);
        }
        return new Turn(order, this::read);
    }

    @Override
    public void work(Turn turn, int i, Worker worker) {
        int mine = slot(i);
        int stride = 1; // batches between two looks at the clock
        long last = System.nanoTime();
        for (long n = 0;;) {
            for (int b = 0; b < stride; b++) {
                if (turn.phase() == Turn.OVER) {
                    return;
                }
                worker.run(BATCH);
                n += BATCH;
                tallies.setRelease(mine, n);
            }
            long now = System.nanoTime();
            turn.look(now);
            if (now - last < LOOK_AGAIN && stride < MAX_STRIDE) {
                stride *= 2;
            } else if (now - last > LOOK_OFTEN && stride > 1) {
                stride /= 2;
            }
            last = now;
        }
    }

    @Override
    public Counted count(Turn turn) {
        Counted c = new Counted(threads);
        c.wall = turn.closed - turn.opened;
        long[] ended = read();
        for (int i = 0; i < threads; i++) {
            long ops = turn.closedAt[i] - turn.openedAt[i];
            c.ops += ops;
            c.all += ended[i];
            c.ran[i] = ops > 0;
        }
        return c;
    }
}
