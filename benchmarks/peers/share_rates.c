// What two processes pay for bytes through memory that both map: `share_rates` prints nanoseconds of
// both ends for a byte of a stream, and nanoseconds of one way for a short frame, each end on a core of
// its own where there are two, neither sleeping.
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PINGS = 20000, PING_BYTES = 164, PIECE_BYTES = 1 << 18, PIECES = 2048 };

struct line {
  _Alignas(128) _Atomic uint64_t count;
};
struct shared {
  struct line near, far;
  _Alignas(4096) char near_bytes[PIECE_BYTES], far_bytes[PIECE_BYTES];
};

static void await(const struct line* line, uint64_t count) {
  for (int look = 1; atomic_load_explicit(&line->count, memory_order_acquire) < count; ++look) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (look % 64 == 0) sched_yield();
  }
}

static void tell(struct line* line, uint64_t count) {
  atomic_store_explicit(&line->count, count, memory_order_release);
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// A fork whose child has the second core that may be used, and its parent the first.
static pid_t fork_apart(void) {
  static cpu_set_t all;
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  const pid_t child = fork();
  const int wanted = CPU_COUNT(&all) > 1 && child == 0 ? 1 : 0;
  for (int core = 0, seen = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &all) || seen++ != wanted) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    sched_setaffinity(0, sizeof own, &own);
  }
  return child;
}

static int by_size(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

// Half of a short frame there and back, each time copied in and out.
static double ping(struct shared* shared) {
  static double walls[PINGS];
  char frame[PING_BYTES] = {0};
  if (fork_apart() == 0) {
    for (uint64_t round = 1; round <= PINGS; ++round) {
      await(&shared->near, round);
      memcpy(frame, shared->near_bytes, PING_BYTES);
      memcpy(shared->far_bytes, frame, PING_BYTES);
      tell(&shared->far, round);
    }
    _exit(0);
  }
  for (uint64_t round = 1; round <= PINGS; ++round) {
    const double before = now_ns();
    memcpy(shared->near_bytes, frame, PING_BYTES);
    tell(&shared->near, round);
    await(&shared->far, round);
    memcpy(frame, shared->far_bytes, PING_BYTES);
    walls[round - 1] = now_ns() - before;
  }
  wait(NULL);
  qsort(walls, PINGS, sizeof walls[0], by_size);
  return walls[PINGS / 20] / 2;
}

// Bytes that are in the sender's cache to where they are in the receiver's; the least of all pieces.
static double stream(struct shared* shared) {
  char* const piece = malloc(PIECE_BYTES);
  memset(piece, 1, PIECE_BYTES);
  const pid_t child = fork_apart();
  double least = 1e18;
  for (uint64_t round = 1; round <= PIECES; ++round) {
    double before;
    if (child == 0) {
      await(&shared->far, round - 1);
      before = now_ns();
      memcpy(shared->near_bytes, piece, PIECE_BYTES);
      tell(&shared->near, round);
    } else {
      await(&shared->near, round);
      before = now_ns();
      memcpy(piece, shared->near_bytes, PIECE_BYTES);
      tell(&shared->far, round);
    }
    const double spent = now_ns() - before;
    if (spent < least) least = spent;
  }
  if (child == 0) {
    memcpy(shared->far_bytes, &least, sizeof least);
    _exit(0);
  }
  wait(NULL);
  double far;
  memcpy(&far, shared->far_bytes, sizeof far);
  return (least + far) / PIECE_BYTES;
}

int main(void) {
  struct shared* const shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  const double way_ns = ping(shared);
  tell(&shared->near, 0);
  tell(&shared->far, 0);
  printf("%.5f %.1f\n", stream(shared), way_ns);
  return 0;
}
