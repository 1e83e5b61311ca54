package hotpath.counter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * HBase's counter, written from a description of what it does. The count is spread over
 * a table of cells, one at first. An add makes one attempt, by compare-and-swap, on the
 * cell of its index, and walks to the next cells until one succeeds. A walk past all
 * cells doubles the table, once; the old cells serve in the new one. What an add's index
 * is, the kinds of the counter differ in.
 */
public abstract class Counter {
    private static final int MOST = 1 << 20;

    private record Table(Cell[] cells, AtomicBoolean demoted) {}

    private final AtomicReference<Table> table =
            new AtomicReference<>(new Table(new Cell[] {new Cell()}, new AtomicBoolean()));

    public abstract void add(long delta);

    /** Adds to the first free cell from an index on, and returns the index of that cell. */
    final int add(long delta, int index) {
        Table t = table.get();
        Cell[] cells = t.cells;
        int mask = cells.length - 1;
        int at = index;
        while (!cells[at & mask].tryAdd(delta)) {
            at++;
        }
        if (at - index >= cells.length && cells.length < MOST && t.demoted.compareAndSet(false, true)) {
            grow(t);
        }
        return at;
    }

    private void grow(Table t) {
        if (table.get() != t) {
            return;
        }
        Cell[] cells = new Cell[2 * t.cells.length];
        System.arraycopy(t.cells, 0, cells, 0, t.cells.length);
        for (int i = t.cells.length; i < cells.length; i++) {
            cells[i] = new Cell();
        }
        table.compareAndSet(t, new Table(cells, new AtomicBoolean()));
    }

    /** The sum of what was added; adds that run at the same time may be in it or not. */
    public final long get() {
        long sum = 0;
        for (Cell cell : table.get().cells) {
            sum += cell.value;
        }
        return sum;
    }

    /** Where the calling thread begins: the hash of its identity, spread over all bits. */
    static int home() {
        int h = System.identityHashCode(Thread.currentThread());
        h ^= h >>> 20 ^ h >>> 12;
        return h ^ h >>> 7 ^ h >>> 4;
    }

    /** A number that has its cache line to itself. */
    private static final class Cell {
        private static final VarHandle VALUE;

        static {
            try {
                VALUE = MethodHandles.lookup().findVarHandle(Cell.class, "value", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile long p1, p2, p3, p4, p5, p6, p7;
        volatile long value;
        volatile long q1, q2, q3, q4, q5, q6, q7;

        boolean tryAdd(long delta) {
            long n = value;
            return VALUE.compareAndSet(this, n, n + delta);
        }
    }
}
