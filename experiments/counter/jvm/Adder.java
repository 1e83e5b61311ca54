package hotpath.counter;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.util.concurrent.atomic.LongAdder;

/** The JDK's LongAdder. */
final class Adder {
    private Adder() {}

    public static void main(String[] args) throws Exception {
        LongAdder counter = new LongAdder();
        Fork.run(new Name(args[0]), () -> new Worker() {
            @Override
            protected void operation() {
                counter.increment();
            }
        }, counter::sum);
    }
}
