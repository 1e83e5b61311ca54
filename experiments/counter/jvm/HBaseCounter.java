package hotpath.counter;

/** HBase's Counter after HBASE-16146: each add hashes the thread anew. */
public final class HBaseCounter extends Counter {
    @Override
    public void add(long delta) {
        add(delta, home());
    }
}
