/* SPDX-License-Identifier: MIT */
/* The rows of a recording that is read some at a time, each judged by itself whenever it comes:
 * what goes over a recording again and again needs no more memory for a long one. A recording in
 * memory is one window.
 */
#ifndef ARMATURE_CORE_WINDOWS_H
#define ARMATURE_CORE_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/arm/model.h"
#include "core/base/status.h"
#include "core/data/dataset.h"

enum { ARM_WINDOW_MARGIN = 2 };

struct ArmRowSource;

/* Where rows are kept that are made of others, one for one. */
typedef struct {
  /* Rows begin to end-1 of these, in their order; only t, joint and what is of joints counts. */
  ArmStatus (*put)(void *user, const ArmDataset *rows, size_t begin, size_t end);
  /* After the last one: what was put, with the marks (left_out, begins) of the rows that it was
   * made of. An acceleration of joint j that is not above `rounding` j is 0 there.
   *   rounding  n [rad/s^2, m/s^2] */
  ArmStatus (*end)(void *user, const double *rounding, struct ArmRowSource *source);
  void *user;
} ArmRowKeeper;

/* Where rows come from. Window k has the rows k width to (k+1) width - 1, the last one what is
 * left. */
typedef struct ArmRowSource {
  size_t n, rows, width;          /* joints, rows of all, rows of a window >= the margin */
  bool is_torque[ARM_MAX_JOINTS]; /* as in ArmDataset */
  double median_step;             /* of t [s]; NAN: unknown */
  /* The rows of window k, those of the margin before and behind them where there are any, and
   * `first` of the view. Rows behind these, which only fill it up, move no joint (0). Its arrays
   * stay as they are until the next call. */
  ArmStatus (*read)(void *user, size_t k, ArmDataset *view);
  void *user;
  const ArmRowKeeper *keeper; /* NULL: none */
} ArmRowSource;

/* Rows begin to end-1 of `data` are the window's own; of the others neighbours are looked up. */
typedef struct {
  ArmDataset data;
  const ArmRowUse *use; /* data.rows */
  size_t begin, end;
} ArmWindow;

/* Rows of a recording in increasing order. */
typedef struct {
  size_t *row; /* owned */
  size_t count, room;
} ArmRowList;

/* One joint, one direction, without a gap, whatever else is wrong with its rows; in memory only
 * while they are to be trimmed. */
typedef struct {
  size_t begin, end;   /* rows of the recording */
  double low, high;    /* positions of the joint [rad, m] */
  double median_speed; /* of |qd| [rad/s, m/s] */
} ArmSweep;

/* Wild rows by what was found, each list in increasing order. */
typedef enum {
  ARM_WILD_POSITIONS = 0,
  ARM_WILD_BRIEF,
  ARM_WILD_SINGLE,
  ARM_WILD_LISTS
} ArmWildList;

typedef struct {
  const ArmModel *model; /* borrowed, as are the next two */
  const ArmRowOptions *options;
  const ArmRowSource *source; /* NULL: one window */
  size_t count;               /* windows */
  ArmWindow now;
  size_t at;        /* the window in view; count: none */
  ArmRowUse *use;   /* of the rows in view; of a source owned */
  uint32_t *joints; /* owned; a bit for each joint that used rows of a window move; NULL: unknown */
  ArmSweep *sweeps; /* n_sweeps, owned; of a source with wants_plateau */
  size_t n_sweeps;
  ArmRowList wild[ARM_WILD_LISTS]; /* of a source */
} ArmWindows;

/* All rows in memory, judged already.
 *   data, use  borrowed; use may be changed by arm_windows_mark */
void arm_windows_whole(ArmWindows *windows, const ArmDataset *data, ArmRowUse *use);

/* Where a plateau is wanted, one pass looks for the sweeps. ARM_E_ARGUMENT: n of model and source
 * differ. ARM_E_MEMORY, what the source reports. */
ARM_MUST_CHECK ArmStatus arm_windows_open(ArmWindows *windows, const ArmModel *model,
                                          const ArmRowOptions *options, const ArmRowSource *source);
void arm_windows_clear(ArmWindows *windows);

/* Window k < count, which stays in view until another one is asked for. What the source reports. */
ARM_MUST_CHECK ArmStatus arm_windows_get(ArmWindows *windows, size_t k, const ArmWindow **window);

/* Row `row` of the recording becomes ARM_ROW_WILD or, of its list, ARM_ROW_WILD_POSITION. Of one
 * list rows come in increasing order. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_windows_mark(ArmWindows *windows, ArmWildList list, size_t row);

/* Used rows of window k move these joints, a bit each, and no others. Windows of which nothing is
 * known may move any. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_windows_know(ArmWindows *windows, size_t k, uint32_t joints);

/* ---- used rows in their order ---- */

#define ARM_WALK_ANY ((size_t)-1)

typedef struct {
  ArmWindows *windows;
  size_t joint, k;
  const ArmWindow *window;
  size_t row;       /* of window->data */
  ArmStatus status; /* why the walk has ended early */
} ArmRowWalk;

/*   joint  whose rows, from 0; ARM_WALK_ANY: every used row */
ArmRowWalk arm_row_walk(ArmWindows *windows, size_t joint);
/* False: that was the last one, or `status` is not ARM_OK. */
bool arm_row_walk_next(ArmRowWalk *walk);

#endif
