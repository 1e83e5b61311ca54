package hotpath;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The workers of a fork, each a thread. Between turns they are parked. */
final class Crew {
    /** What a worker does in a turn. */
    interface Part {
        void work(int i, Worker worker);
    }

    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger running = new AtomicInteger();
    private final Thread conductor = Thread.currentThread();
    private volatile Part part;
    private volatile int turn;

    /**
     * Starts so many workers. Each makes its access to the contestant, runs its first
     * operation and parks.
     */
    Crew(int size, Supplier<Worker> workers) throws InterruptedException {
        CountDownLatch made = new CountDownLatch(size);
        long[][] apart = new long[2 * size][];
        for (int i = 0; i < size; i++) {
            int me = i;
            Thread thread = new Thread(() -> {
                // A collection moves the memory of all workers together: this keeps a
                // cache line of one from holding what another writes.
                apart[2 * me] = new long[32];
                Worker worker = workers.get();
                apart[2 * me + 1] = new long[32];
                worker.run(1);
                made.countDown();
                serve(me, worker);
            });
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        made.await();
    }

    private void serve(int i, Worker worker) {
        for (int seen = 0;; seen++) {
            while (turn == seen) {
                LockSupport.park();
            }
            part.work(i, worker);
            if (running.decrementAndGet() == 0) {
                LockSupport.unpark(conductor);
            }
        }
    }

    /**
     * Lets all workers do their parts, and returns when all have parked again. They are
     * woken by one thread in an order that is shuffled anew: those that a lock would
     * wake, it would wake one after the other.
     */
    void run(Part work) {
        part = work;
        running.set(threads.size());
        Collections.shuffle(threads);
        turn++;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
        }
        while (running.get() > 0) {
            LockSupport.park();
        }
    }

    /** The numbers of the workers' threads. */
    long[] numbers() {
        return threads.stream().mapToLong(Thread::getId).toArray();
    }
}
