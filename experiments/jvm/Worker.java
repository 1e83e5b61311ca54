package hotpath;

/**
 * One thread's access to a contestant, made and used by that thread alone. A
 * process loads one subclass, so that the compiler puts its operation in line.
 */
public abstract class Worker {
    /** One operation. */
    protected abstract void operation();

    /**
     * So many operations. The flags of a fork keep the compiler from putting this
     * method in line: what is timed stays between the two readings of the clock.
     */
    final void run(int n) {
        for (int i = 0; i < n; i++) {
            operation();
        }
    }
}
