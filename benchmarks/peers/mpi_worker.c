// One rank of Open MPI's all-reduce: `mpi_worker SECONDS SIZE ...`; rank 0 prints the lines.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_us(void) {
  struct timespec spent;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return 1e6 * (double)spent.tv_sec + 1e-3 * (double)spent.tv_nsec;
}

static int ascending(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void sum(float *array, int count) {
  MPI_Allreduce(MPI_IN_PLACE, array, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

// A checked sum of ones, a few to warm up, then as many as fit into the time.
static void measure(size_t bytes, double seconds) {
  int rank, members, count = (int)(bytes / 4);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &members);
  float *array = malloc(bytes);
  for (int i = 0; i < count; ++i) array[i] = 1;
  sum(array, count);
  for (int i = 0; i < count; ++i) {
    if (array[i] != (float)members) MPI_Abort(MPI_COMM_WORLD, 3);
    array[i] = 0;
  }
  const int warm = bytes > 1 << 22 ? 1 : 10;
  const double begin = MPI_Wtime();
  for (int i = 0; i < warm; ++i) sum(array, count);
  int rounds = (int)(seconds / ((MPI_Wtime() - begin) / warm + 1e-7));
  rounds = rounds < 5 ? 5 : rounds > 5000 ? 5000 : rounds;
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  double *walls = malloc(sizeof(double) * (size_t)rounds), all = 0, spent = processor_us();
  for (int i = 0; i < rounds; ++i) {
    const double start = MPI_Wtime();
    sum(array, count);
    walls[i] = 1e6 * (MPI_Wtime() - start);
  }
  spent = (processor_us() - spent) / rounds;
  MPI_Reduce(&spent, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  qsort(walls, (size_t)rounds, sizeof(double), ascending);
  if (rank == 0) {
    printf("{\"system\": \"Open MPI\", \"n\": %d, \"bytes\": %zu, \"median_us\": %.2f, \"min_us\": %.2f, "
           "\"cpu_us\": %.2f, \"iters\": %d}\n", members, bytes, walls[rounds / 2], walls[0], all, rounds);
    fflush(stdout);
  }
  free(walls);
  free(array);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 2; i < argc; ++i) measure(strtoull(argv[i], NULL, 10), atof(argv[1]));
  MPI_Finalize();
  return 0;
}
