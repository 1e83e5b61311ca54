package hotpath;

import com.sun.management.ThreadMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Tells what the process uses in a turn. It is for one thread, whose own readings it
 * leaves out.
 *
 * <p>CPU time is the user and system time of all threads, those of the compiler and the
 * collector included. The JVM tells that of the process in ticks of ten milliseconds;
 * the kernel tells that of each thread to the nanosecond, as of when it last slept.
 */
final class Meter {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final long[] workers; // by number
    private final String reader; // number of the thread that reads, as the kernel counts
    private long others; // CPU time of all threads but the reader
    private long own; // and of the reader
    private long bytes;
    private long cycles;

    Meter(long[] workers) throws IOException {
        this.workers = workers;
        reader = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
    }

    /** Begins a turn, whose workers are parked yet. */
    void start() throws IOException {
        bytes = allocated();
        cycles = collections();
        others = others();
        own = THREADS.getCurrentThreadCpuTime();
    }

    /** Ends a turn, whose workers have parked, and tells what was used in it. */
    Usage stop() throws IOException {
        long ended = THREADS.getCurrentThreadCpuTime();
        return new Usage(ended - own + others() - others, allocated() - bytes, collections() - cycles);
    }

    private long others() throws IOException {
        long sum = 0;
        for (String thread : new File("/proc/self/task").list()) {
            if (!thread.equals(reader)) {
                sum += cpu(Path.of("/proc/self/task", thread, "schedstat"));
            }
        }
        return sum;
    }

    private static long cpu(Path schedstat) throws IOException {
        try {
            String text = new String(Files.readAllBytes(schedstat), StandardCharsets.US_ASCII);
            return Long.parseLong(text.substring(0, text.indexOf(' ')));
        } catch (NoSuchFileException ended) {
            return 0; // a thread of the JVM's own
        }
    }

    private long allocated() {
        long sum = 0;
        for (long b : THREADS.getThreadAllocatedBytes(workers)) {
            sum += b;
        }
        return sum;
    }

    private static long collections() {
        long sum = 0;
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum += bean.getCollectionCount();
        }
        return sum;
    }

    /** The bytes of memory that the process holds. */
    static long resident() throws IOException {
        String statm = Files.readString(Path.of("/proc/self/statm"));
        return Long.parseLong(statm.split(" ")[1]) * 4096;
    }
}
