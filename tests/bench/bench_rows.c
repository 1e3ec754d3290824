/* SPDX-License-Identifier: MIT */
#include "bench_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

enum { JOINTS = 6, LINE = 4096 };

void bench_need(bool is_good, const char *what) {
  if (is_good)
    return;
  fprintf(stderr, "bench_cli: %s\n", what);
  exit(2);
}

/* ---- the demonstration again and again, its time going on ---- */

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

void bench_write_rows(const char *root, const char *path, gsize rows, bool is_dense,
                      bool is_motion) {
  char *demo, *source = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  bench_need(g_file_get_contents(source, &demo, NULL, NULL), source);
  const char *at = demo;
  char *head = take_line(&at);
  const char *const body = at;
  FILE *file = fopen(path, "w");
  bench_need(file != NULL, path);
  write_head(file, head, is_motion);
  double later = 0.0;
  for (gsize row = 0; row < rows; later += 1000.0)
    for (at = body; *at && row < rows; row++) {
      char *text = take_line(&at), **cell = g_strsplit(text, ",", -1);
      write_row(file, cell, later, row, is_dense);
      g_strfreev(cell);
      g_free(text);
    }
  bench_need(fclose(file) == 0, path);
  g_free(head);
  g_free(demo);
  g_free(source);
}

void bench_write_map(const char *path) {
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
  bench_need(g_file_set_contents(path, map->str, -1, NULL), path);
  g_string_free(map, TRUE);
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

void bench_write_slow_rows(const char *root, const char *path, gsize rows, gsize most_parts) {
  char *demo, *source = g_build_filename(root, "data/demo/puma560_table1.csv", NULL);
  bench_need(g_file_get_contents(source, &demo, NULL, NULL), source);
  char **text = g_strsplit(demo, "\n", -1);
  const gsize lines = g_strv_length(text) - 2;
  const int parts = (int)MIN((rows + lines - 1) / lines, most_parts);
  FILE *file = fopen(path, "w");
  bench_need(file != NULL && fprintf(file, "%s\n", text[0]) > 0, path);
  for (gsize row = 0; row * (gsize)parts < rows; row++) {
    char **cell = g_strsplit(text[1 + row % lines], ",", -1);
    write_slow_row(file, cell, 2000.0 * (double)(row / lines), 0.04, parts);
    g_strfreev(cell);
  }
  bench_need(fclose(file) == 0, path);
  g_strfreev(text);
  g_free(demo);
  g_free(source);
}

void bench_write_currents(const char *from_path, const char *path) {
  char text[LINE];
  TestRng rng;
  FILE *from = fopen(from_path, "r"), *file = fopen(path, "w");
  bench_need(from != NULL && file != NULL && fgets(text, sizeof text, from) != NULL, path);
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
  bench_need(fclose(file) == 0, path);
}
