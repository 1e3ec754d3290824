/* SPDX-License-Identifier: MIT */
/* Recordings of any size for benches of the command line, made of the demonstration. What cannot be
 * written ends the program. */
#ifndef ARMATURE_BENCH_ROWS_H
#define ARMATURE_BENCH_ROWS_H

#include <glib.h>
#include <stdbool.h>

/* Ends the program, with status 2, where it is not; what: its file, or what was wanted. */
void bench_need(bool is_good, const char *what);

/* Again and again, its time going on; is_dense: every cell with digits of its own; is_motion:
 * accelerations in the place of currents. root: of the sources. */
void bench_write_rows(const char *root, const char *path, gsize rows, bool is_dense,
                      bool is_motion);

/* The column map that reads such rows as if they were another tool's. */
void bench_write_map(const char *path);

/* The same with strokes as long as the rows ask for: up to most_parts rows for each. */
void bench_write_slow_rows(const char *root, const char *path, gsize rows, gsize most_parts);

/* What `predict` said of rows, as currents with white noise of 5 mA. */
void bench_write_currents(const char *from_path, const char *path);

#endif
