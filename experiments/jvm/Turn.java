package hotpath;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the workers of a turn share. */
final class Turn {
    static final long LEADING = 0;
    static final long COUNTING = 1;
    static final long OVER = 2;

    /** How many operations each worker has ended so far. */
    interface Tally {
        long[] read();
    }

    // Read by all workers all the time, so away from what anybody else writes.
    private static final int PHASE = 16;
    private static final int EDGE = 17; // when the phase is to change, by nanoTime
    private final AtomicLongArray shared = new AtomicLongArray(34);

    private final AtomicBoolean changing = new AtomicBoolean(); // held by the worker that changes the phase
    private final long counted;
    private final long lead;
    private final Tally tally;

    long opened; // when what is counted began, by nanoTime
    long closed;
    long[] openedAt; // operations of each worker then
    long[] closedAt;

    Turn(Order order, Tally tally) {
        this.counted = order.counted();
        this.lead = order.lead();
        this.tally = tally;
    }

    /** Begins the turn, whose workers are released next. */
    void start() {
        shared.set(EDGE, System.nanoTime() + lead);
    }

    long phase() {
        return shared.get(PHASE);
    }

    /**
     * Changes the phase if it is time. Workers call it every now and then, and one of
     * them does it.
     */
    void look(long now) {
        if (now - shared.get(EDGE) >= 0 && changing.compareAndSet(false, true)) {
            if (now - shared.get(EDGE) >= 0) {
                change();
            }
            changing.set(false);
        }
    }

    private void change() {
        if (phase() == LEADING) {
            opened = System.nanoTime();
            openedAt = tally.read();
            shared.set(EDGE, opened + counted);
            shared.set(PHASE, COUNTING);
        } else if (phase() == COUNTING) {
            closed = System.nanoTime();
            closedAt = tally.read();
            shared.set(PHASE, OVER);
        }
    }
}
