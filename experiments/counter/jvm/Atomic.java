package hotpath.counter;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.util.concurrent.atomic.AtomicLong;

/** The JDK's AtomicLong. */
final class Atomic {
    private Atomic() {}

    public static void main(String[] args) throws Exception {
        AtomicLong counter = new AtomicLong();
        Fork.run(new Name(args[0]), () -> new Worker() {
            @Override
            protected void operation() {
                counter.incrementAndGet();
            }
        }, counter::get);
    }
}
