package hotpath;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** A contestant in a process: its parked workers, and what the turns have measured so far. */
final class Session {
    final Name name;
    final Counted kept;
    final Counted dropped;
    private final Crew crew;
    private final Work work;
    private final Meter meter;
    private final LongSupplier total;
    private final ArrayDeque<Counted> pending = new ArrayDeque<>(); // turns that nobody has judged yet, the oldest first
    private long done; // operations since the contestant was made

    Session(Name name, Supplier<Worker> workers, LongSupplier total) throws Exception {
        int threads = name.number("threads");
        this.name = name;
        this.total = total;
        work = Work.of(name);
        crew = new Crew(threads, workers);
        meter = new Meter(crew.numbers());
        done = threads;
        kept = new Counted(threads);
        dropped = new Counted(threads);
        WarmUp.run(this);
        System.gc(); // the garbage of making it and of warming up is not the contestant's
    }

    /** Measures a turn that counts for nothing else. */
    Counted measure(Order order) throws Exception {
        Turn turn = work.begin(order);
        meter.start();
        long released = System.nanoTime();
        turn.start();
        crew.run((i, worker) -> work.work(turn, i, worker));
        long whole = System.nanoTime() - released;
        Usage used = meter.stop();
        Counted c = work.count(turn);
        c.whole = whole;
        c.used = used;
        done += c.all;
        return c;
    }

    /** Measures a turn, which is held until it is judged. */
    Counted turn(Order order) throws Exception {
        Counted c = measure(order);
        pending.add(c);
        return c;
    }

    /** Keeps or drops the oldest turn that is not judged yet. */
    void judge(boolean keep) {
        (keep ? kept : dropped).add(pending.remove());
    }

    /** Ends the session: the contestant's own total must be that of all operations. */
    void end() {
        while (!pending.isEmpty()) {
            judge(false);
        }
        if (total != null && total.getAsLong() != done) {
            throw new IllegalStateException("the contestant counts " + total.getAsLong() + " operations, " + done + " were made");
        }
    }
}
