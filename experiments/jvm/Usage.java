package hotpath;

/** What was used in a turn, or in several: CPU time in nanoseconds, bytes allocated, collections. */
record Usage(long cpu, long bytes, long cycles) {
    static final Usage NONE = new Usage(0, 0, 0);

    Usage plus(Usage more) {
        return new Usage(cpu + more.cpu, bytes + more.bytes, cycles + more.cycles);
    }
}
