/* SPDX-License-Identifier: MIT */
/* Judging a row takes a few comparisons: a verdict that is kept would cost more to read than to
 * find again. Wild rows alone are known from far away, so they are listed. */
#include "core/data/windows.h"

#include <stdlib.h>
#include <string.h>

#include "core/data/plateau.h"

void arm_windows_whole(ArmWindows *windows, const ArmDataset *data, ArmRowUse *use) {
  *windows = (ArmWindows){.count = 1, .use = use};
  windows->now = (ArmWindow){.data = *data, .use = use, .end = data->rows};
}

ArmStatus arm_windows_open(ArmWindows *windows, const ArmModel *model, const ArmRowOptions *options,
                           const ArmRowSource *source) {
  if (model->n != source->n || model->n > ARM_MAX_JOINTS || source->width < ARM_WINDOW_MARGIN)
    return ARM_E_ARGUMENT;
  ArmRowUse *use = malloc((source->width + 2 * ARM_WINDOW_MARGIN) * sizeof *use);
  if (!use)
    return ARM_E_MEMORY;
  const size_t count = (source->rows + source->width - 1) / source->width;
  *windows = (ArmWindows){.model = model,
                          .options = options,
                          .source = source,
                          .count = count,
                          .at = count,
                          .use = use};
  const ArmStatus status = options->wants_plateau ? arm_plateau_find(windows) : ARM_OK;
  if (status != ARM_OK)
    arm_windows_clear(windows);
  return status;
}

void arm_windows_clear(ArmWindows *windows) {
  if (windows->source)
    free(windows->use);
  free(windows->joints);
  free(windows->sweeps);
  for (int k = 0; k < ARM_WILD_LISTS; k++)
    free(windows->wild[k].row);
  *windows = (ArmWindows){0};
}

/* Place of the first row >= `row`. */
static size_t find(const ArmRowList *list, size_t row) {
  size_t low = 0, high = list->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static ArmRowUse use_of(int list) {
  return list == ARM_WILD_POSITIONS ? ARM_ROW_WILD_POSITION : ARM_ROW_WILD;
}

static void put_wild(const ArmWindows *windows, int which, ArmRowUse *use) {
  const ArmRowList *list = &windows->wild[which];
  const ArmDataset *data = &windows->now.data;
  for (size_t k = find(list, data->first); k < list->count; k++) {
    if (list->row[k] >= data->first + data->rows)
      break;
    ArmRowUse *of = &use[list->row[k] - data->first];
    *of = *of == ARM_ROW_USED ? use_of(which) : *of;
  }
}

ArmStatus arm_windows_get(ArmWindows *windows, size_t k, const ArmWindow **window) {
  const ArmRowSource *source = windows->source;
  *window = &windows->now;
  if (k == windows->at)
    return ARM_OK;
  ArmWindow *now = &windows->now;
  windows->at = windows->count;
  *now = (ArmWindow){.use = windows->use, .begin = k > 0 ? ARM_WINDOW_MARGIN : 0};
  const ArmStatus status = source->read(source->user, k, &now->data);
  if (status != ARM_OK)
    return status;
  const size_t left = source->rows - k * source->width;
  now->end = now->begin + (left < source->width ? left : source->width);
  arm_dataset_judge(windows->model, &now->data, windows->options, windows->use);
  arm_plateau_trim(windows);
  for (int list = 0; list < ARM_WILD_LISTS; list++)
    put_wild(windows, list, windows->use);
  windows->at = k;
  return ARM_OK;
}

static ArmStatus append(ArmRowList *list, size_t row) {
  if (list->count == list->room) {
    const size_t room = list->room ? 2 * list->room : 64;
    size_t *more = malloc(room * sizeof *more);
    if (!more)
      return ARM_E_MEMORY;
    if (list->count > 0)
      memcpy(more, list->row, list->count * sizeof *more);
    free(list->row);
    list->row = more;
    list->room = room;
  }
  list->row[list->count++] = row;
  return ARM_OK;
}

ArmStatus arm_windows_mark(ArmWindows *windows, ArmWildList list, size_t row) {
  const ArmDataset *data = &windows->now.data;
  if (windows->at < windows->count && row >= data->first && row - data->first < data->rows)
    windows->use[row - data->first] = use_of((int)list);
  return windows->source ? append(&windows->wild[list], row) : ARM_OK;
}

ArmStatus arm_windows_know(ArmWindows *windows, size_t k, uint32_t joints) {
  if (!windows->joints) {
    windows->joints = malloc((windows->count + 1) * sizeof *windows->joints);
    if (!windows->joints)
      return ARM_E_MEMORY;
    memset(windows->joints, 0xff, (windows->count + 1) * sizeof *windows->joints);
  }
  windows->joints[k] = joints;
  return ARM_OK;
}

ArmRowWalk arm_row_walk(ArmWindows *windows, size_t joint) {
  return (ArmRowWalk){.windows = windows, .joint = joint};
}

static bool may_have(const ArmRowWalk *walk) {
  const uint32_t *joints = walk->windows->joints;
  return !joints || (walk->joint == ARM_WALK_ANY ? joints[walk->k] != 0
                                                 : (joints[walk->k] >> walk->joint & 1) != 0);
}

/* The next window with rows of the joint, before its first row. */
static bool open_window(ArmRowWalk *walk) {
  while (walk->k < walk->windows->count && !may_have(walk))
    walk->k++;
  if (walk->k >= walk->windows->count || walk->status != ARM_OK)
    return false;
  walk->status = arm_windows_get(walk->windows, walk->k, &walk->window);
  walk->row = walk->window->begin;
  return walk->status == ARM_OK;
}

bool arm_row_walk_next(ArmRowWalk *walk) {
  if (walk->window)
    walk->row++;
  for (;;) {
    if (!walk->window && !open_window(walk))
      return false;
    const ArmWindow *window = walk->window;
    const int moving = (int)walk->joint + 1;
    for (; walk->row < window->end; walk->row++)
      if (window->use[walk->row] == ARM_ROW_USED &&
          (walk->joint == ARM_WALK_ANY || window->data.joint[walk->row] == moving))
        return true;
    walk->window = NULL;
    walk->k++;
  }
}
