package hotpath.counter;

/**
 * HBase's Counter before HBASE-16146: a ThreadLocal of each counter remembers the cell
 * in which the thread's last add succeeded.
 */
public final class HBaseThreadLocalCounter extends Counter {
    private static final class Index {
        int value = home();
    }

    private final ThreadLocal<Index> indexes = ThreadLocal.withInitial(Index::new);

    @Override
    public void add(long delta) {
        Index index = indexes.get();
        int at = add(delta, index.value);
        if (at != index.value) {
            index.value = at;
        }
    }
}
