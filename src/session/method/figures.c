/* SPDX-License-Identifier: MIT */
#include "session/method/figures.h"

#include <math.h>

static void series_free(gpointer memory) {
  AseSeries *series = memory;
  g_free(series->x);
  g_free(series->y);
  g_free(series->top);
  g_free(series);
}

void ase_picture_free(AsePicture *picture) {
  if (!picture)
    return;
  g_ptr_array_unref(picture->series);
  g_free(picture);
}

AsePicture *ase_picture_new(const AseFigure *figure, const AseShown *shown) {
  AsePicture *picture = g_new0(AsePicture, 1);
  picture->x.low = picture->x.high = (double)NAN;
  picture->y.low = picture->y.high = (double)NAN;
  picture->series = g_ptr_array_new_with_free_func(series_free);
  figure->fill(shown, picture);
  return picture;
}

AseSeries *ase_picture_add(AsePicture *picture, AseSeriesRole role, const char *name, guint room) {
  const bool has_top = role == ASE_SERIES_BAND || role == ASE_SERIES_COUNT;
  AseSeries *series = g_new0(AseSeries, 1);
  *series = (AseSeries){.role = role,
                        .name = name,
                        .x = g_new0(double, room),
                        .y = g_new0(double, room),
                        .top = has_top ? g_new0(double, room) : NULL};
  g_ptr_array_add(picture->series, series);
  return series;
}

void ase_series_put(AseSeries *series, double x, double y) {
  series->x[series->n] = x;
  series->y[series->n++] = y;
}

AseSeries *ase_picture_add_key(AsePicture *picture, AseSeriesRole role, const char *name,
                               int direction) {
  AseSeries *key = ase_picture_add(picture, role, name, 0);
  key->is_key = true;
  key->direction = direction;
  return key;
}

const AseSweptJoint *ase_shown_joint(const AseShown *shown) {
  const AseSwept *data = shown->data;
  return data && shown->joint >= 1 && shown->joint <= data->joints ? &data->joint[shown->joint - 1]
                                                                   : NULL;
}

bool ase_shows_run(const AseShown *shown, guint run) {
  return shown->run == 0 || shown->run == run + 1;
}

bool ase_shows_direction(const AseShown *shown, int direction) {
  return shown->direction == 0 || shown->direction == direction;
}
