package hotpath.counter;

import hotpath.Fork;
import hotpath.Name;
import hotpath.Worker;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An increment of a word that the worker owns. Opaque access has the compiler load and
 * store it each time, where it would make one addition of a loop of plain ones.
 */
final class Floor extends Worker {
    private static final VarHandle OWN;

    static {
        try {
            OWN = MethodHandles.lookup().findVarHandle(Floor.class, "own", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long own;

    @Override
    protected void operation() {
        OWN.setOpaque(this, (long) OWN.getOpaque(this) + 1);
    }

    public static void main(String[] args) throws Exception {
        Fork.run(new Name(args[0]), Floor::new, null);
    }
}
