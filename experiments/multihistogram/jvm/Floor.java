package hotpath.multihistogram;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.util.concurrent.atomic.AtomicLong;

/** Draws the updates, which nobody can do without, and adds them up in the worker's own memory. */
final class Floor extends Worker {
    private final Load load;
    private long own;

    private Floor(long seed, int n) {
        load = new Load(seed, n);
    }

    @Override
    protected void operation() {
        for (int i = 0; i < Histograms.UPDATES; i++) {
            long update = load.next();
            own += load.histogram(update) + load.value(update);
        }
    }

    public static void main(String[] args) throws Exception {
        Name name = new Name(args[0]);
        AtomicLong workers = new AtomicLong();
        Fork.run(name, () -> new Floor(workers.incrementAndGet(), name.number("histograms")), null);
    }
}
