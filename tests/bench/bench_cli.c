/* SPDX-License-Identifier: MIT */
/* What `predict`, `dynamics`, `replay`, `import`, `fit`, `reduce` and `validate` cost beside a
 * plain reader and writer of the same numbers, in the same run: CPU times and peak memory of child
 * processes, results to /dev/null but for what is written by name; of sessions memory alone, their
 * fit by this program, which has it done as window and command line do. The plain one reads lines,
 * parses their cells with the program's own parser, and writes each line again with as many numbers
 * of 17 digits as the verb adds, for import as it writes at all; for replay, whose result it reads,
 * and for fit, which writes no rows, none. Prints SHOW lines, exits 1 when one fails.
 * Usage: bench_cli LINE PROGRAM SOURCE_ROOT [ROWS] */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_rows.h"
#include "bench_sessions.h"
#include "io/csv/csv_number.h"
#include "io/csv/csv_number_write.h"

enum {
  LINE = 4096,
  TURNS = 3,
  LEAD = 3, /* of turns of growth */
  GROWTH_TURNS = 9,
  FEW = 100000,
  MANY = 1000000,
  CASES = 15,
  REPLAY = 3, /* of the cases */
  IMPORT = 4,
  FIT = 5, /* and those behind it, of the same recording */
  VALIDATE = 9,
  REDUCE_SESSION = 10, /* and the one behind it, of the same session */
  FIT_SHORT = 12,      /* and those behind it, of strokes as short as the demonstration's */
  MOST_PARTS = 200,    /* of the way between two rows of the demonstration */
  MOST_MB = 64
};

#define MOST_GROWTH 1.1

static const char *line = "16.1a", *program, *root;
static char *directory;
static bool all_pass = true;

static void show(const char *what, double measured, double most) {
  all_pass &= measured <= most;
  printf("SHOW %s %s measured=%.3g target=<=%g %s\n", line, what, measured, most,
         measured <= most ? "PASS" : "FAIL");
}

static char *in_directory(const char *name) {
  return g_build_filename(directory, name, NULL);
}

/* ---- a child process ---- */

typedef struct {
  double cpu, mb; /* s; peak */
} Cost;

static Cost run(const char *const *arguments) {
  struct rusage usage;
  int status;
  fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    execv(arguments[0], (char *const *)arguments);
    _exit(127);
  }
  bench_need(
      pid > 0 && wait4(pid, &status, 0, &usage) == pid && WIFEXITED(status) &&
          (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 4), /* at constant speed no inertia */
      arguments[1]);
  return (Cost){(double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
                (double)usage.ru_maxrss / 1024.0};
}

static void keep_least(Cost *least, Cost cost, int turn) {
  if (turn == 0 || cost.cpu < least->cpu)
    least->cpu = cost.cpu;
  least->mb = turn == 0 || cost.mb > least->mb ? cost.mb : least->mb;
}

/* ---- the plain reader and writer: this program once more ---- */

static char *put(char *at, double value) {
  *at++ = ',';
  return at + aio_number_write(value, at);
}

/* Reads one line's numbers; returns their sum, so that none is for nothing. */
static double read_cells(const char *at) {
  double sum = 0.0, value;
  for (const char *end; *at; at = *end == ',' ? end + 1 : end) {
    end = at + strcspn(at, ",\n");
    if (end > at && aio_number_parse(at, (gsize)(end - at), '.', &value) == AIO_NUMBER_OK)
      sum += value;
    if (*end == '\n')
      break;
  }
  return sum;
}

/* Each line again, and so many numbers more. */
static int plain(const char *path, int added) {
  char text[LINE], more[LINE];
  FILE *file = fopen(path, "r");
  bench_need(file != NULL && fgets(text, sizeof text, file) != NULL, "the plain reader's file");
  fputs(text, stdout);
  while (fgets(text, sizeof text, file)) {
    const double sum = read_cells(text);
    char *at = more;
    for (int k = 1; k <= added; k++)
      at = put(at, sum / (k + 2));
    *at++ = '\n';
    fwrite(text, 1, strcspn(text, "\n"), stdout);
    fwrite(more, 1, (gsize)(at - more), stdout);
  }
  fclose(file);
  return 0;
}

/* ---- inputs ---- */

/* A session is made by calibrating a simulated arm. */
static void calibrate(const char *path) {
  char *arm = g_build_filename(root, "data/robots/planar2r.arm.json", NULL);
  char *port = g_strdup_printf("sim:%s,speed=40", arm);
  const char *arguments[] = {program, "calibrate", "--arm", arm, "--port",
                             port,    "--session", path,    NULL};
  run(arguments);
  g_free(arm);
  g_free(port);
}

static void write_recording(const char *path, const char *arm, const char *fitted, gsize rows,
                            gsize most_parts) {
  char *motion = in_directory("motion.csv"), *said = in_directory("said.csv");
  const char *predict[] = {program, "predict", "--arm", arm,  "--params", fitted,
                           "--csv", motion,    "--out", said, NULL};
  bench_write_slow_rows(root, motion, rows, most_parts);
  run(predict);
  bench_write_currents(said, path);
  g_unlink(motion);
  g_unlink(said);
  g_free(motion);
  g_free(said);
}

/* ---- what is measured ---- */

typedef struct {
  const char *name;
  const char *verb[12], *file,
      *added;  /* the plain one's file (NULL: memory alone), and numbers more
                                          in a row */
  double most; /* of the ratio; 0: not judged */
} Case;

/* Of a verb, and of the plain one beside it. */
typedef struct {
  Cost verb, floor;
} Costs;

static Costs run_beside(const Case *c, const char *self) {
  const char *plain_arguments[] = {self, "plain", c->file, c->added, NULL};
  const Cost verb = run(c->verb);
  return (Costs){verb, c->file ? run(plain_arguments) : (Cost){0}};
}

static void show_costs(const Case *c, gsize rows, const Costs *costs) {
  char *what = g_strdup_printf("%s of %zu rows", c->name, rows);
  char *memory = g_strconcat(what, ", peak memory [MB]", NULL);
  char *ratio = g_strconcat(what, ", CPU time over a plain reader and writer's", NULL);
  const double times = costs->verb.cpu / costs->floor.cpu;
  printf("# %s: %.3f s; %.1f MB\n", what, costs->verb.cpu, costs->verb.mb);
  if (c->file)
    printf("# plain %.3f s, %.2f times\n", costs->floor.cpu, times);
  show(memory, costs->verb.mb, MOST_MB);
  if (c->most > 0)
    show(ratio, times, c->most);
  g_free(what);
  g_free(memory);
  g_free(ratio);
}

static void measure(const Case *c, const char *self, gsize rows) {
  Costs least = {0};
  for (int turn = 0; turn < TURNS; turn++) {
    const Costs costs = run_beside(c, self);
    keep_least(&least.verb, costs.verb, turn);
    keep_least(&least.floor, costs.floor, turn);
  }
  show_costs(c, rows, &least);
}

static double mean_of_few(const Case *c) {
  double sum = 0;
  for (int k = 0; k < TURNS; k++)
    sum += run(c->verb).cpu;
  return sum / TURNS;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Turns below the limit lead by so many, or those above it do, or there were enough. */
static bool is_settled(const double *growth, int turns) {
  int lead = 0;
  for (int k = 0; k < turns; k++)
    lead += growth[k] <= MOST_GROWTH ? 1 : -1;
  return abs(lead) >= LEAD || turns == GROWTH_TURNS;
}

/* What a row costs beside one of a tenth of them, which are run right before and right after: a
 * machine's speed changes within minutes by more than what is judged, so it takes turns until one
 * judgement leads. Their median is told. */
static void measure_growth(const Case *c, const Case *tenth, const char *self, gsize rows) {
  double growth[GROWTH_TURNS], before = mean_of_few(tenth);
  Costs least = {0};
  int turns = 0;
  while (!is_settled(growth, turns)) {
    const Costs costs = turns == 0 ? run_beside(c, self) : (Costs){run(c->verb), least.floor};
    const double after = mean_of_few(tenth);
    growth[turns] = costs.verb.cpu / 10 / (0.5 * (before + after));
    printf("# %.3f s between tenths of %.3f and %.3f s: %.3f\n", costs.verb.cpu, before, after,
           growth[turns]);
    before = after;
    keep_least(&least.verb, costs.verb, turns);
    least.floor = costs.floor;
    turns++;
  }
  show_costs(c, rows, &least);
  qsort(growth, (size_t)turns, sizeof *growth, by_size);
  char *what =
      g_strdup_printf("%s, CPU time for a row of %zu over that of %zu", c->name, rows, rows / 10);
  show(what, growth[turns / 2], MOST_GROWTH);
  g_free(what);
}

/* By this program once more: what a child has at its peak begins with what its parent has. */
static void write_again(const char *self, const char *from, const char *path, const char *kind,
                        gsize rows) {
  char *count = g_strdup_printf("%zu", rows);
  const char *arguments[] = {self, "again", from, path, kind, count, NULL};
  run(arguments);
  g_free(count);
}

/* Names of files, in a folder of their own; owned. */
typedef struct {
  char *folder, *csv, *out, *session, *arm, *links, *planar, *fitted, *map;
  const char *self, *calibrated;
} Inputs;

static void inputs_init(Inputs *in, const char *self, const char *calibrated, const char *name) {
  *in = (Inputs){.folder = in_directory(name), .self = self, .calibrated = calibrated};
  bench_need(g_mkdir(in->folder, 0700) == 0, in->folder);
  in->csv = g_build_filename(in->folder, "in.csv", NULL);
  in->out = g_build_filename(in->folder, "out.csv", NULL);
  in->session = g_build_filename(in->folder, "s.armsession", NULL);
  in->fitted = g_build_filename(in->folder, "p.json", NULL);
  in->map = g_build_filename(in->folder, "map.json", NULL);
  in->arm = g_build_filename(root, "data/demo/puma560_table1.arm.json", NULL);
  in->links = g_build_filename(root, "data/robots/puma560.arm.json", NULL);
  in->planar = g_build_filename(root, "data/robots/planar2r.arm.json", NULL);
}

static void inputs_clear(Inputs *in) {
  char *const made[] = {in->csv, in->out, in->session, in->fitted, in->map};
  char *const named[] = {in->folder, in->arm, in->links, in->planar};
  for (gsize k = 0; k < G_N_ELEMENTS(made); k++) {
    g_unlink(made[k]);
    g_free(made[k]);
  }
  g_rmdir(in->folder);
  for (gsize k = 0; k < G_N_ELEMENTS(named); k++)
    g_free(named[k]);
}

/* What case k reads and those before it did not. */
static void make_inputs(int k, gsize rows, const Inputs *in) {
  if (k < REPLAY || k == IMPORT)
    bench_write_rows(root, in->csv, rows, k > 0, k == 2);
  else if (k == REPLAY)
    bench_write_session(in->session, in->arm, rows);
  else if (k == FIT || k == FIT_SHORT)
    write_recording(in->csv, in->arm, in->fitted, rows, k == FIT ? MOST_PARTS : 1);
  else if (k == VALIDATE || k == REDUCE_SESSION)
    write_again(in->self, in->calibrated, in->session, k == VALIDATE ? "validate" : "sweep", rows);
}

static void fit_demonstration(const Inputs *in) {
  char *demo = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  const char *fit[] = {program,  "fit",   "--arm",    in->arm,   "--csv", demo,
                       "--json", "--out", in->fitted, "--force", NULL};
  run(fit);
  g_free(demo);
}

static void list_cases(const Inputs *in, Case cases[CASES]) {
  const Case all[CASES] = {
      {"predict, sparse",
       {program, "predict", "--arm", in->arm, "--params", in->fitted, "--csv", in->csv},
       in->csv,
       "12",
       4},
      {"predict, dense",
       {program, "predict", "--arm", in->arm, "--params", in->fitted, "--csv", in->csv},
       in->csv,
       "12",
       4},
      {"dynamics", {program, "dynamics", "--arm", in->links, "--csv", in->csv}, in->csv, "6", 0},
      {"replay", {program, "replay", in->session, "--out", in->out, "--force"}, in->out, "0", 0},
      {"import",
       {program, "import", "--arm", in->arm, "--map", in->map, "--csv", in->csv, "--out", in->out,
        "--force"},
       in->csv,
       "20",
       0},
      {"fit", {program, "fit", "--arm", in->arm, "--csv", in->csv}, in->csv, "0", 7},
      {"fit --plateau",
       {program, "fit", "--arm", in->arm, "--csv", in->csv, "--plateau"},
       in->csv,
       "0",
       0},
      {"fit --acceleration --lowpass 30",
       {program, "fit", "--arm", in->arm, "--csv", in->csv, "--acceleration", "--lowpass", "30"},
       in->csv,
       "0",
       0},
      {"reduce",
       {program, "reduce", "--arm", in->arm, "--csv", in->csv, "--out", in->out, "--force"},
       in->csv,
       "0",
       0},
      {"validate", {program, "validate", "--session", in->session}, NULL, "0", 0},
      {"reduce --session",
       {program, "reduce", "--arm", in->planar, "--session", in->session, "--out", in->out,
        "--force"},
       NULL,
       "0",
       0},
      {"fit of a session", {in->self, "fit", in->session}, NULL, "0", 0},
      {"fit, short strokes", {program, "fit", "--arm", in->arm, "--csv", in->csv}, in->csv, "0", 0},
      {"reduce, short strokes",
       {program, "reduce", "--arm", in->arm, "--csv", in->csv, "--out", in->out, "--force"},
       in->csv,
       "0",
       0},
      {"fit --reduced, short strokes",
       {program, "fit", "--arm", in->arm, "--reduced", in->out},
       NULL,
       "0",
       0}};
  memcpy(cases, all, sizeof all);
}

static void measure_all(const char *self, const char *calibrated, gsize rows) {
  Inputs in, tenth;
  Case cases[CASES], few[CASES];
  inputs_init(&in, self, calibrated, "all");
  inputs_init(&tenth, self, calibrated, "tenth");
  list_cases(&in, cases);
  list_cases(&tenth, few);
  fit_demonstration(&in);
  fit_demonstration(&tenth);
  bench_write_map(in.map);
  bench_write_map(tenth.map);
  for (int k = 0; k < CASES; k++) {
    make_inputs(k, rows, &in);
    if (rows > MANY) {
      make_inputs(k, rows / 10, &tenth);
      measure_growth(&cases[k], &few[k], self, rows);
    } else {
      measure(&cases[k], self, rows);
    }
  }
  inputs_clear(&in);
  inputs_clear(&tenth);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "plain") == 0)
    return plain(argv[2], atoi(argv[3]));
  if (argc == 6 && strcmp(argv[1], "again") == 0) {
    bench_write_again(argv[2], argv[3], argv[4], (gsize)strtoull(argv[5], NULL, 10));
    return 0;
  }
  if (argc == 3 && strcmp(argv[1], "fit") == 0) {
    bench_fit_session(argv[2]);
    return 0;
  }
  bench_need(argc >= 4, "expected LINE PROGRAM SOURCE_ROOT [ROWS]");
  line = argv[1];
  program = argv[2];
  root = argv[3];
  directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  bench_need(directory != NULL, "a temporary folder");
  const gsize most = argc > 4 ? (gsize)strtoull(argv[4], NULL, 10) : MANY;
  char *calibrated = in_directory("calibrated.armsession");
  calibrate(calibrated);
  for (gsize rows = FEW; rows <= most; rows *= 10)
    measure_all(argv[0], calibrated, rows);
  g_unlink(calibrated);
  g_free(calibrated);
  g_rmdir(directory);
  g_free(directory);
  return all_pass ? 0 : 1;
}
