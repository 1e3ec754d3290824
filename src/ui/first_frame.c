/* SPDX-License-Identifier: MIT */
#include "ui/first_frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Field 22 of /proc/self/stat: ticks from boot to exec. The name, field 2, may hold anything but
 * ends with the last bracket. */
static double exec_at_s(void) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/self/stat", &text, NULL, NULL))
    return NAN;
  const char *rest = strrchr(text, ')');
  g_auto(GStrv) fields = g_strsplit(rest ? rest : "", " ", -1);
  enum { START = 22 - 2 }; /* "rest" begins with the end of field 2 */
  if (g_strv_length(fields) <= START)
    return NAN;
  return g_ascii_strtod(fields[START], NULL) / (double)sysconf(_SC_CLK_TCK);
}

static double since_exec_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return 1e3 * ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec - exec_at_s());
}

static void on_painted(GdkFrameClock *clock, GtkWindow *window) {
  (void)clock, (void)window;
  printf("first frame after %.0f ms\n", since_exec_ms());
  fflush(stdout);
  g_application_quit(g_application_get_default());
}

static void on_map(GtkWindow *window) {
  g_signal_connect_object(gtk_widget_get_frame_clock(GTK_WIDGET(window)), "after-paint",
                          G_CALLBACK(on_painted), window, 0);
}

void aui_first_frame_print(GtkWindow *window) {
  g_signal_connect_after(window, "map", G_CALLBACK(on_map), NULL);
}
