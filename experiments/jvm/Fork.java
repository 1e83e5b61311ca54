package hotpath;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A process that holds one contestant through a heat and measures in turns, as a
 * runner orders it. The lines of both are those of the Go package internal/bench,
 * what is measured and how, that of internal/measure.
 */
public final class Fork {
    private Fork() {}

    /**
     * Measures a contestant until the runner ends it. workers is called by each worker's
     * thread; total, which may be null, after all operations: it tells how many the
     * contestant itself has counted.
     */
    public static void run(Name name, Supplier<Worker> workers, LongSupplier total) throws Exception {
        // A worker that dies would be waited for in vain.
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            try {
                error.printStackTrace();
            } finally {
                Runtime.getRuntime().halt(1);
            }
        });
        long began = System.currentTimeMillis();
        Session session = new Session(name, workers, total);
        double warmUp = (System.currentTimeMillis() - began) / 1e3;
        obey(session);
        session.end();
        Result.log(System.getenv("HOTPATH_HLOG"), session, began);
        Result.print(System.out, session, warmUp);
    }

    private static void obey(Session session) throws Exception {
        PrintStream answers = new PrintStream(new FileOutputStream("/dev/fd/" + System.getenv("HOTPATH_TURNS")), true);
        answers.println(ready());
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        for (;;) {
            String line = orders.readLine();
            if (line == null) {
                throw new IOException("the orders ended without end");
            }
            Order order = Order.parse(line);
            switch (order.verb()) {
                case "turn" -> answers.println(session.turn(order).answer());
                case "keep" -> session.judge(true);
                case "drop" -> session.judge(false);
                case "end" -> {
                    return;
                }
                default -> throw new IOException("order: " + line);
            }
        }
    }

    /** The memory that the process holds, and may come to hold when its heap is full. */
    private static String ready() throws IOException {
        Runtime heap = Runtime.getRuntime();
        long held = Meter.resident();
        long left = heap.maxMemory() - (heap.totalMemory() - heap.freeMemory());
        return "ready held=" + held + " most=" + (held + left);
    }
}
