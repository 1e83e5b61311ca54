package hotpath;

/**
 * A line that the runner wrote: turn with the nanoseconds that count and those
 * ahead of them, or keep, drop, end.
 */
record Order(String verb, long counted, long lead) {
    static Order parse(String line) {
        String[] words = line.split(" ");
        long counted = 0;
        long lead = 0;
        for (int i = 1; i < words.length; i++) {
            String[] field = words[i].split("=", 2);
            switch (field[0]) {
                case "ns" -> counted = Long.parseLong(field[1]);
                case "lead-ns" -> lead = Long.parseLong(field[1]);
                default -> throw new IllegalArgumentException("order: " + line);
            }
        }
        if (words[0].equals("turn") == (counted <= 0)) {
            throw new IllegalArgumentException("order: " + line);
        }
        return new Order(words[0], counted, lead);
    }
}
