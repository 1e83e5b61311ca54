import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Contestants on the JVM of which all but one go wrong. */
final class Trouble {
    /** Operations after which it happens. */
    private static final long LATER = 1000;

    private Trouble() {}

    public static void main(String[] args) throws Exception {
        Name name = new Name(args[0]);
        AtomicLong counter = new AtomicLong();
        List<byte[]> kept = new ArrayList<>();
        Runnable trouble = switch (name.get("impl")) {
            case "well" -> () -> {};
            case "loses_one" -> counter::decrementAndGet;
            case "dies" -> () -> Runtime.getRuntime().halt(42);
            case "throws" -> () -> {
                throw new IllegalStateException("last words");
            };
            case "hangs" -> () -> {
                synchronized (kept) {
                    while (true) {
                        Thread.onSpinWait();
                    }
                }
            };
            case "fills_memory" -> () -> {
                while (true) {
                    kept.add(new byte[1 << 20]);
                }
            };
            default -> throw new IllegalArgumentException(args[0]);
        };
        Fork.run(name, () -> new Worker() {
            @Override
            protected void operation() {
                if (counter.incrementAndGet() == LATER) {
                    trouble.run();
                }
            }
        }, counter::get);
    }
}
