package hotpath;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;

/**
 * Brings a fork to the speed that it keeps: turns follow each other until the compiler
 * has next to nothing to do and an operation costs about as much CPU time as in the
 * turn before, or until a bound in time. Between them the workers leave the CPUs to the
 * compiler, which would wait for hundreds of them.
 */
final class WarmUp {
    private static final Order TURN = new Order("turn", 100_000_000, 10_000_000);
    private static final long PAUSE = 100; // milliseconds
    private static final long MOST = 6_000_000_000L; // nanoseconds
    private static final double COMPILING = 0.02; // share of the time that is next to nothing
    private static final double ALIKE = 0.1; // relative difference of two turns
    private static final int SETTLED = 3; // turns in a row

    private WarmUp() {}

    static void run(Session session) throws Exception {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long began = System.nanoTime();
        double before = 0;
        for (int settled = 0; settled < SETTLED && System.nanoTime() - began < MOST;) {
            long compiled = compiler.getTotalCompilationTime();
            long start = System.nanoTime();
            Counted turn = session.measure(TURN);
            Thread.sleep(PAUSE);
            double compiling = (compiler.getTotalCompilationTime() - compiled) * 1e6 / (System.nanoTime() - start);
            double cost = (double) turn.used.cpu() / turn.all;
            boolean alike = Math.abs(cost - before) < ALIKE * cost;
            settled = compiling < COMPILING && alike ? settled + 1 : 0;
            before = cost;
        }
    }
}
