/* SPDX-License-Identifier: MIT */
#include "own_motion.h"

#include "session/measure/motion_case.h"
#include "session/recording.h"
#include "ui/sweep/page_motion.h"

void own_motion_show(Gui *gui) {
  aui_window_show_page(AUI_WINDOW(gui->window), AUI_PAGE_MOTION_KEY);
  gui_pass(0.2);
}

void own_motion_show_taken(Gui *gui) {
  g_autoptr(GError) error = NULL;
  double home[ARM_MAX_JOINTS];
  g_assert_true(ase_device_pose(ase_session_device(gui->session), home));
  AioMotionTable *motion = motion_case_new(&ase_session_arm(gui->session)->model, home, 20.0, 0.2);
  ase_session_take_motion(gui->session, motion, 1.0, &error);
  g_assert_no_error(error);
  aio_motion_free(motion);
  own_motion_show(gui);
}
