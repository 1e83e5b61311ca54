package hotpath;

import java.io.FileNotFoundException;
import java.io.PrintStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/** The result line of a session, in Go's benchmark format, and its HdrHistogram log. */
final class Result {
    private static final double[] PERCENTILES = {50, 90, 95, 99, 99.9, 99.99};

    /** The units beside those that every reader knows, as the Go package internal/bench declares them. */
    private static final String[] FACTS = {"ops", "turns", "workers-run", "warm-up-sec", "parallelism"};
    private static final String[] COSTS = {"cpu-ns/op", "gc-cycles/op", "mean-latency-ns"};

    private final StringBuilder line = new StringBuilder();

    private Result(Name name) {
        line.append(name.printed()).append("\t1");
    }

    static void print(PrintStream out, Session session, double warmUp) {
        for (String unit : FACTS) {
            out.println("Unit " + unit + " assume=nothing");
        }
        for (String unit : COSTS) {
            out.println("Unit " + unit + " better=lower assume=nothing");
        }
        for (double p : PERCENTILES) {
            out.println("Unit " + unit(p) + " better=lower assume=nothing");
        }
        Counted k = session.kept;
        Result r = new Result(session.name);
        r.metric(k.ops, "ops");
        r.metric(k.turns, "turns");
        r.metric(k.workers(), "workers-run");
        r.metric(warmUp, "warm-up-sec");
        if (k.ops > 0) {
            r.figures(k);
        }
        out.println(r.line);
        out.flush();
    }

    private static String unit(double percentile) {
        String at = percentile == Math.rint(percentile) ? String.valueOf((long) percentile) : String.valueOf(percentile);
        return "p" + at + "-latency-ns";
    }

    private void metric(Number value, String unit) {
        line.append('\t').append(value).append(' ').append(unit);
    }

    private void figures(Counted k) {
        double all = k.all;
        if (k.histogram == null) {
            metric((double) k.wall / k.ops, "ns/op");
        } else {
            metric((double) k.latency / k.ops, "mean-latency-ns");
            for (double p : PERCENTILES) {
                if (k.ops * (1 - p / 100) >= 10) { // with fewer samples above it, it says more about luck
                    metric(k.histogram.getValueAtPercentile(p), unit(p));
                }
            }
        }
        metric(k.used.cpu() / all, "cpu-ns/op");
        metric((double) k.used.cpu() / k.whole, "parallelism");
        metric(k.used.bytes() / all, "B/op");
        metric(k.used.cycles() / all, "gc-cycles/op");
    }

    /** Writes an interval of the kept turns, and one tagged gated of the others. */
    static void log(String path, Session session, long began) throws FileNotFoundException {
        if (path == null || session.kept.histogram == null && session.dropped.histogram == null) {
            return;
        }
        try (PrintStream out = new PrintStream(path)) {
            HistogramLogWriter log = new HistogramLogWriter(out);
            log.outputLogFormatVersion();
            log.outputLegend();
            interval(log, session.kept.histogram, null, began);
            interval(log, session.dropped.histogram, "gated", began);
        }
    }

    private static void interval(HistogramLogWriter log, Histogram h, String tag, long began) {
        if (h != null) {
            h.setTag(tag);
            h.setStartTimeStamp(began);
            h.setEndTimeStamp(System.currentTimeMillis());
            log.outputIntervalHistogram(h);
        }
    }
}
