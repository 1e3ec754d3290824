/* SPDX-License-Identifier: MIT */
#include "ui/focus.h"

AuiFocusState aui_focus_update(AuiFocus *self, bool is_armed, bool has_keyboard, guint limit_s,
                               gint64 now_us, guint *left_s) {
  guint left = 0;
  AuiFocusState state = AUI_FOCUS_FINE;
  if (!is_armed || has_keyboard) {
    self->since_us = 0;
  } else {
    if (!self->since_us)
      self->since_us = now_us;
    const gint64 end_us = self->since_us + (gint64)limit_s * G_USEC_PER_SEC;
    state = limit_s && now_us >= end_us ? AUI_FOCUS_HALT : AUI_FOCUS_INACTIVE;
    if (limit_s && now_us < end_us)
      left = (guint)((end_us - now_us + G_USEC_PER_SEC - 1) / G_USEC_PER_SEC);
    if (state == AUI_FOCUS_HALT)
      self->since_us = 0;
  }
  if (left_s)
    *left_s = left;
  return state;
}
