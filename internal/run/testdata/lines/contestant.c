// A contestant in C: 32 threads add to one number. See the package comment of
// internal/bench for the lines that it reads and writes.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { threads = 32, batch = 256, most_turns = 4096 };

static atomic_long number;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER, parked = PTHREAD_COND_INITIALIZER;
static int turn_number, running;
static atomic_int over;
static struct {
	_Alignas(128) atomic_long ops;
} tally[threads];

static long now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long cpu(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000L + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000L;
}

static void *work(void *me) {
	int i = (int)(long)me, seen = 0;
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (turn_number == seen)
			pthread_cond_wait(&released, &mutex);
		seen = turn_number;
		pthread_mutex_unlock(&mutex);
		while (!over) {
			for (int n = 0; n < batch; n++)
				atomic_fetch_add(&number, 1);
			atomic_fetch_add_explicit(&tally[i].ops, batch, memory_order_relaxed);
		}
		pthread_mutex_lock(&mutex);
		if (--running == 0)
			pthread_cond_signal(&parked);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static long done(long *by) {
	long sum = 0;
	for (int i = 0; i < threads; i++)
		sum += by[i] = tally[i].ops;
	return sum;
}

static void wait_for(long ns) {
	struct timespec t = {ns / 1000000000L, ns % 1000000000L};
	nanosleep(&t, NULL);
}

int main(void) {
	static long first[threads], last[threads], ops[most_turns], wall[most_turns], total;
	static int ran[threads];
	int turns = 0, judged = 0, kept = 0, workers = 0;
	long kept_ops = 0, kept_wall = 0;
	char line[256];
	FILE *answers = fdopen(3, "w");
	pthread_t thread;
	for (long i = 0; i < threads; i++)
		pthread_create(&thread, NULL, work, (void *)i);
	fprintf(answers, "ready held=2000000 most=2000000\n");
	fflush(answers);
	while (fgets(line, sizeof line, stdin)) {
		long ns, lead;
		if (sscanf(line, "turn ns=%ld lead-ns=%ld", &ns, &lead) == 2 && turns < most_turns) {
			long used = cpu(), before = number, began, ended, count, all;
			over = 0;
			pthread_mutex_lock(&mutex);
			running = threads;
			turn_number++;
			pthread_cond_broadcast(&released);
			pthread_mutex_unlock(&mutex);
			wait_for(lead);
			began = now();
			count = done(first);
			wait_for(ns);
			ended = now();
			count = done(last) - count;
			over = 1;
			pthread_mutex_lock(&mutex);
			while (running > 0)
				pthread_cond_wait(&parked, &mutex);
			pthread_mutex_unlock(&mutex);
			all = number - before;
			total += all;
			used = (long)((double)(cpu() - used) * count / all);
			workers = 0;
			for (int i = 0; i < threads; i++) {
				workers += last[i] > first[i];
				ran[i] |= last[i] > first[i];
			}
			ops[turns] = count;
			wall[turns++] = ended - began;
			fprintf(answers, "turned ops=%ld wall-ns=%ld cpu-ns=%ld workers=%d all-ops=%ld\n", count, ended - began, used, workers, all);
			fflush(answers);
		} else if (!strcmp(line, "end\n")) {
			break;
		} else if (judged < turns) {
			if (!strcmp(line, "keep\n")) {
				kept++;
				kept_ops += ops[judged];
				kept_wall += wall[judged];
			}
			judged++;
		}
	}
	workers = 0;
	for (int i = 0; i < threads; i++)
		workers += ran[i];
	if (total != number)
		return 1;
	printf("Unit ops assume=nothing\nUnit turns assume=nothing\nUnit workers-run assume=nothing\n");
	printf("BenchmarkAdd/impl=c/mode=thrpt/threads=32-2 \t1\t%f ns/op\t%ld ops\t%d turns\t%d workers-run\n",
		kept ? (double)kept_wall / kept_ops : 0, kept_ops, kept, workers);
	return 0;
}
