/* SPDX-License-Identifier: MIT */
/* Sessions of any size for benches of the command line. What cannot be written ends the program. */
#ifndef ARMATURE_BENCH_SESSIONS_H
#define ARMATURE_BENCH_SESSIONS_H

#include <glib.h>

/* One run of six joints at 1 kHz, all digits of the doubles. */
void bench_write_session(const char *path, const char *arm_path, gsize rows);

/* The session `from` with so many rows more, of its runs of this kind again and again. */
void bench_write_again(const char *from, const char *path, const char *kind, gsize rows);

/* Fits the session as window and command line do, without changing its file; prints the parameters
 * and what the program had at its peak. */
void bench_fit_session(const char *path);

#endif
