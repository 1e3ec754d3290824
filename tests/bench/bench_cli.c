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
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_sessions.h"
#include "io/csv/csv_number.h"
#include "io/csv/csv_number_write.h"
#include "support/support.h"

enum {
  JOINTS = 6,
  LINE = 4096,
  TURNS = 3,
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

static const char *line = "16.1a", *program, *root;
static char *directory;
static bool all_pass = true;

static void need(bool is_good, const char *what) {
  if (is_good)
    return;
  fprintf(stderr, "bench_cli: %s\n", what);
  exit(2);
}

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
  need(
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
  need(file != NULL && fgets(text, sizeof text, file) != NULL, "the plain reader's file");
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

/* ---- inputs: the demonstration again and again, its time going on ---- */

static char *take_line(const char **at) {
  const char *end = strchr(*at, '\n');
  char *text = g_strndup(*at, (gsize)(end - *at));
  *at = end + 1;
  return text;
}

/* Dense: every cell with digits of its own. */
static void write_row(FILE *file, char **cell, double later, gsize row, bool is_dense) {
  fprintf(file, "%.4f,%s", g_ascii_strtod(cell[0], NULL) + later, cell[1]);
  for (int k = 2; k < 2 + 3 * JOINTS; k++) {
    const double value = g_ascii_strtod(cell[k], NULL) + 1e-3 * sin(0.37 * (double)row + k);
    if (is_dense)
      fprintf(file, ",%.*f", k < 2 + 2 * JOINTS ? 9 : 6, value);
    else
      fprintf(file, ",%s", cell[k]);
  }
  fputc('\n', file);
}

static void write_head(FILE *file, const char *head, bool is_motion) {
  GString *names = g_string_new(head);
  for (int j = 1; j <= JOINTS && is_motion; j++) {
    char *from = g_strdup_printf("i%d_A", j), *to = g_strdup_printf("qdd%d_rad_s2", j);
    g_string_replace(names, from, to, 0);
    g_free(from);
    g_free(to);
  }
  fprintf(file, "%s\n", names->str);
  g_string_free(names, TRUE);
}

static void write_rows(const char *path, gsize rows, bool is_dense, bool is_motion) {
  char *demo, *source = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  need(g_file_get_contents(source, &demo, NULL, NULL), source);
  const char *at = demo;
  char *head = take_line(&at);
  const char *const body = at;
  FILE *file = fopen(path, "w");
  need(file != NULL, path);
  write_head(file, head, is_motion);
  double later = 0.0;
  for (gsize row = 0; row < rows; later += 1000.0)
    for (at = body; *at && row < rows; row++) {
      char *text = take_line(&at), **cell = g_strsplit(text, ",", -1);
      write_row(file, cell, later, row, is_dense);
      g_strfreev(cell);
      g_free(text);
    }
  need(fclose(file) == 0, path);
  g_free(head);
  g_free(demo);
  g_free(source);
}

/* Reads such rows as if they were another tool's. */
static void write_map(const char *path) {
  GString *map = g_string_new("{\"format\":\"armature-columns\",\"version\":1,"
                              "\"time\":{\"column\":\"t_s\",\"unit\":\"s\"},"
                              "\"moving_joint\":{\"column\":\"joint\"},\"joints\":[");
  for (int j = 1; j <= JOINTS; j++)
    g_string_append_printf(map,
                           "%s{\"joint\":%d,\"position\":{\"column\":\"q%d_rad\",\"unit\":\"rad\"},"
                           "\"speed\":{\"column\":\"qd%d_rad_s\",\"unit\":\"rad_s\"},"
                           "\"current\":{\"column\":\"i%d_A\",\"unit\":\"A\"}}",
                           j > 1 ? "," : "", j, j, j, j);
  g_string_append(map, "]}");
  need(g_file_set_contents(path, map->str, -1, NULL), path);
  g_string_free(map, TRUE);
}

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

/* ---- a recording to be fitted: strokes as long as the rows ask for ---- */

/* The demonstration, each of its rows `parts` times on the way to the next one. */
static void write_slow_row(FILE *file, char **cell, double later, double dt, int parts) {
  const int joint = atoi(cell[1]);
  const double t = g_ascii_strtod(cell[0], NULL), qd = g_ascii_strtod(cell[7 + joint], NULL);
  for (int m = 0; m < parts; m++) {
    const double since = dt * m / parts;
    fprintf(file, "%.9f,%d", t + later + since, joint);
    for (int k = 2; k < 2 + 3 * JOINTS; k++)
      if (k == 1 + joint)
        fprintf(file, ",%.9f", g_ascii_strtod(cell[k], NULL) + qd * since);
      else
        fprintf(file, ",%s", cell[k]);
    fputc('\n', file);
  }
}

static void write_slow_rows(const char *path, gsize rows, gsize most_parts) {
  char *demo, *source = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  need(g_file_get_contents(source, &demo, NULL, NULL), source);
  char **text = g_strsplit(demo, "\n", -1);
  const gsize lines = g_strv_length(text) - 2;
  const int parts = (int)MIN((rows + lines - 1) / lines, most_parts);
  FILE *file = fopen(path, "w");
  need(file != NULL && fprintf(file, "%s\n", text[0]) > 0, path);
  for (gsize row = 0; row * (gsize)parts < rows; row++) {
    char **cell = g_strsplit(text[1 + row % lines], ",", -1);
    write_slow_row(file, cell, 2000.0 * (double)(row / lines), 0.04, parts);
    g_strfreev(cell);
  }
  need(fclose(file) == 0, path);
  g_strfreev(text);
  g_free(demo);
  g_free(source);
}

/* What `predict` said of the rows, as currents with white noise of 5 mA. */
static void write_currents(const char *from_path, const char *path) {
  char text[LINE];
  TestRng rng;
  FILE *from = fopen(from_path, "r"), *file = fopen(path, "w");
  need(from != NULL && file != NULL && fgets(text, sizeof text, from) != NULL, path);
  test_rng_init(&rng, 1);
  write_head(file,
             "t_s,joint,q1_rad,q2_rad,q3_rad,q4_rad,q5_rad,q6_rad,qd1_rad_s,qd2_rad_s,"
             "qd3_rad_s,qd4_rad_s,qd5_rad_s,qd6_rad_s,i1_A,i2_A,i3_A,i4_A,i5_A,i6_A",
             false);
  while (fgets(text, sizeof text, from)) {
    char **cell = g_strsplit(text, ",", -1);
    const int joint = atoi(cell[1]);
    for (int k = 0; k < 2 + 2 * JOINTS; k++)
      fprintf(file, k > 0 ? ",%s" : "%s", cell[k]);
    for (int j = 1; j <= JOINTS; j++)
      if (j == joint)
        fprintf(file, ",%.6f",
                g_ascii_strtod(cell[2 * JOINTS + 2 * j], NULL) + 0.005 * test_rng_normal(&rng));
      else
        fputc(',', file);
    fputc('\n', file);
    g_strfreev(cell);
  }
  fclose(from);
  need(fclose(file) == 0, path);
}

static void write_recording(const char *path, const char *arm, const char *fitted, gsize rows,
                            gsize most_parts) {
  char *motion = in_directory("motion.csv"), *said = in_directory("said.csv");
  const char *predict[] = {program, "predict", "--arm", arm,  "--params", fitted,
                           "--csv", motion,    "--out", said, NULL};
  write_slow_rows(motion, rows, most_parts);
  run(predict);
  write_currents(said, path);
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

/* The verb and the plain one in turn; returns the verb's least CPU time for a row [s]. */
static double measure(const Case *c, const char *self, gsize rows) {
  Cost verb = {0}, floor = {0};
  const char *plain_arguments[] = {self, "plain", c->file, c->added, NULL};
  char *what = g_strdup_printf("%s of %zu rows", c->name, rows);
  char *memory = g_strconcat(what, ", peak memory [MB]", NULL);
  char *ratio = g_strconcat(what, ", CPU time over a plain reader and writer's", NULL);
  for (int turn = 0; turn < (rows > MANY ? 1 : TURNS); turn++) {
    keep_least(&verb, run(c->verb), turn);
    if (c->file)
      keep_least(&floor, run(plain_arguments), turn);
  }
  printf("# %s: %.3f s; %.1f MB\n", what, verb.cpu, verb.mb);
  if (c->file)
    printf("# plain %.3f s, %.2f times\n", floor.cpu, verb.cpu / floor.cpu);
  show(memory, verb.mb, MOST_MB);
  if (c->most > 0)
    show(ratio, verb.cpu / floor.cpu, c->most);
  g_free(what);
  g_free(memory);
  g_free(ratio);
  return verb.cpu / (double)rows;
}

/* By this program once more: what a child has at its peak begins with what its parent has. */
static void write_again(const char *self, const char *from, const char *path, const char *kind,
                        gsize rows) {
  char *count = g_strdup_printf("%zu", rows);
  const char *arguments[] = {self, "again", from, path, kind, count, NULL};
  run(arguments);
  g_free(count);
}

/* Names of files. */
typedef struct {
  const char *self, *csv, *arm, *fitted, *calibrated, *session;
} Inputs;

static void make_inputs(int k, gsize rows, const Inputs *in) {
  if (k < REPLAY || k == IMPORT)
    write_rows(in->csv, rows, k > 0, k == 2);
  else if (k == FIT || k == FIT_SHORT)
    write_recording(in->csv, in->arm, in->fitted, rows, k == FIT ? MOST_PARTS : 1);
  else if (k == VALIDATE || k == REDUCE_SESSION)
    write_again(in->self, in->calibrated, in->session, k == VALIDATE ? "validate" : "sweep", rows);
}

static void measure_all(const char *self, const char *calibrated, gsize rows,
                        double per_row[CASES]) {
  char *arm = g_build_filename(root, "data/demo/puma560_table1.arm.json", NULL);
  char *links = g_build_filename(root, "data/robots/puma560.arm.json", NULL);
  char *demo = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  char *planar = g_build_filename(root, "data/robots/planar2r.arm.json", NULL);
  char *fitted = in_directory("p.json"), *session = in_directory("s.armsession");
  char *csv = in_directory("in.csv"), *out = in_directory("out.csv");
  char *map = in_directory("map.json");
  const char *fit[] = {program,  "fit",   "--arm", arm,       "--csv", demo,
                       "--json", "--out", fitted,  "--force", NULL};
  const Case cases[CASES] = {
      {"predict, sparse",
       {program, "predict", "--arm", arm, "--params", fitted, "--csv", csv},
       csv,
       "12",
       4},
      {"predict, dense",
       {program, "predict", "--arm", arm, "--params", fitted, "--csv", csv},
       csv,
       "12",
       4},
      {"dynamics", {program, "dynamics", "--arm", links, "--csv", csv}, csv, "6", 0},
      {"replay", {program, "replay", session, "--out", out, "--force"}, out, "0", 0},
      {"import",
       {program, "import", "--arm", arm, "--map", map, "--csv", csv, "--out", out, "--force"},
       csv,
       "20",
       0},
      {"fit", {program, "fit", "--arm", arm, "--csv", csv}, csv, "0", 7},
      {"fit --plateau", {program, "fit", "--arm", arm, "--csv", csv, "--plateau"}, csv, "0", 0},
      {"fit --acceleration --lowpass 30",
       {program, "fit", "--arm", arm, "--csv", csv, "--acceleration", "--lowpass", "30"},
       csv,
       "0",
       0},
      {"reduce",
       {program, "reduce", "--arm", arm, "--csv", csv, "--out", out, "--force"},
       csv,
       "0",
       0},
      {"validate", {program, "validate", "--session", session}, NULL, "0", 0},
      {"reduce --session",
       {program, "reduce", "--arm", planar, "--session", session, "--out", out, "--force"},
       NULL,
       "0",
       0},
      {"fit of a session", {self, "fit", session}, NULL, "0", 0},
      {"fit, short strokes", {program, "fit", "--arm", arm, "--csv", csv}, csv, "0", 0},
      {"reduce, short strokes",
       {program, "reduce", "--arm", arm, "--csv", csv, "--out", out, "--force"},
       csv,
       "0",
       0},
      {"fit --reduced, short strokes",
       {program, "fit", "--arm", arm, "--reduced", out},
       NULL,
       "0",
       0}};
  const Inputs inputs = {self, csv, arm, fitted, calibrated, session};
  run(fit);
  write_map(map);
  bench_write_session(session, arm, rows);
  for (int k = 0; k < CASES; k++) {
    make_inputs(k, rows, &inputs);
    per_row[k] = measure(&cases[k], self, rows);
  }
  char *const made[] = {fitted, session, csv, out, map};
  for (gsize k = 0; k < G_N_ELEMENTS(made); k++)
    g_unlink(made[k]);
  char *const names[] = {arm, links, demo, planar, fitted, session, csv, out, map};
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++)
    g_free(names[k]);
}

int main(int argc, char **argv) {
  static const char *const names[CASES] = {"predict, sparse",
                                           "predict, dense",
                                           "dynamics",
                                           "replay",
                                           "import",
                                           "fit",
                                           "fit --plateau",
                                           "fit --acceleration --lowpass 30",
                                           "reduce",
                                           "validate",
                                           "reduce --session",
                                           "fit of a session",
                                           "fit, short strokes",
                                           "reduce, short strokes",
                                           "fit --reduced, short strokes"};
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
  need(argc >= 4, "expected LINE PROGRAM SOURCE_ROOT [ROWS]");
  line = argv[1];
  program = argv[2];
  root = argv[3];
  directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  need(directory != NULL, "a temporary folder");
  const gsize most = argc > 4 ? (gsize)strtoull(argv[4], NULL, 10) : MANY;
  double before[CASES], per_row[CASES];
  char *calibrated = in_directory("calibrated.armsession");
  calibrate(calibrated);
  for (gsize rows = FEW; rows <= most; rows *= 10) {
    memcpy(before, per_row, sizeof before);
    measure_all(argv[0], calibrated, rows, per_row);
    for (int k = 0; k < CASES && rows > FEW; k++) {
      char *what = g_strdup_printf("%s, CPU time for a row of %zu over that of %zu", names[k], rows,
                                   rows / 10);
      if (rows > MANY)
        show(what, per_row[k] / before[k], 1.1);
      else
        printf("# %s: %.3f\n", what, per_row[k] / before[k]);
      g_free(what);
    }
  }
  g_unlink(calibrated);
  g_free(calibrated);
  g_rmdir(directory);
  g_free(directory);
  return all_pass ? 0 : 1;
}
