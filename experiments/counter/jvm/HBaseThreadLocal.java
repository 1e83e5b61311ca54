package hotpath.counter;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;

/** HBase's Counter before HBASE-16146. */
final class HBaseThreadLocal {
    private HBaseThreadLocal() {}

    public static void main(String[] args) throws Exception {
        Counter counter = new HBaseThreadLocalCounter();
        Fork.run(new Name(args[0]), () -> new Worker() {
            @Override
            protected void operation() {
                counter.add(1);
            }
        }, counter::get);
    }
}
