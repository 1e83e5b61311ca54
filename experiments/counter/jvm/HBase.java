package hotpath.counter;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;

/** HBase's Counter after HBASE-16146. */
final class HBase {
    private HBase() {}

    public static void main(String[] args) throws Exception {
        Counter counter = new HBaseCounter();
        Fork.run(new Name(args[0]), () -> new Worker() {
            @Override
            protected void operation() {
                counter.add(1);
            }
        }, counter::get);
    }
}
