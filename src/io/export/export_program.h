/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: straight-line arithmetic of sums of products, from which constants are
 * folded, zero terms dropped and unused lines left out, printed as C in double or float. */
#ifndef ARMATURE_IO_EXPORT_PROGRAM_H
#define ARMATURE_IO_EXPORT_PROGRAM_H

#include <glib.h>
#include <stdbool.h>

enum { AIO_NO_NODE = -1 };

/* factor x node; with AIO_NO_NODE the number `factor` itself. */
typedef struct {
  double factor;
  int node;
} AioScalar;

typedef enum {
  AIO_NODE_COS,          /* cos(q[joint] + offset) */
  AIO_NODE_SIN,          /* sin(q[joint] + offset) */
  AIO_NODE_SLIDE,        /* q[joint] + offset */
  AIO_NODE_SPEED,        /* qd[joint] */
  AIO_NODE_ACCELERATION, /* qdd[joint] */
  AIO_NODE_SUM
} AioNodeKind;

typedef struct AioProgram AioProgram;

AioProgram *aio_program_new(void);
void aio_program_free(AioProgram *program);

AioScalar aio_scalar_number(double number);

/* A function of a joint position, or a joint's speed or acceleration (offset 0); `kind` is not
 * AIO_NODE_SUM. */
AioScalar aio_program_source(AioProgram *program, AioNodeKind kind, int joint, double offset);

/* products[0][0] x products[0][1] + ..; a new line called `name` (copied) unless the sum is a
 * number or a multiple of one scalar. What cancels to rounding (1e-15 of the summands) is 0. */
AioScalar aio_program_sum(AioProgram *program, gsize n, const AioScalar (*products)[2],
                          const char *name_format, ...) G_GNUC_PRINTF(4, 5);

/* Marks what a result needs, and everything below it. */
void aio_program_need(AioProgram *program, AioScalar result);

/* Declares the needed lines as constants, indented by 2. */
void aio_program_print(const AioProgram *program, bool is_float, GString *out);
/* The largest magnitude of a number in it; infinite when one is not a number. */
double aio_program_largest(const AioProgram *program);
/* Does a needed line read q, qd, qdd? */
bool aio_program_reads_q(const AioProgram *program);
bool aio_program_reads(const AioProgram *program, AioNodeKind kind);

/* The scalar as an expression. */
void aio_scalar_print(const AioProgram *program, AioScalar scalar, bool is_float, GString *out);

/* A C literal, of the fewest digits that read back as the same number, with its own sign. */
void aio_c_number(double number, bool is_float, GString *out);

#endif
