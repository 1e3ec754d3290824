/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "io/base/standard.h"
#include "ui/application.h"
#include "ui/kit/language.h"

/* GTK would say "cannot open display" and no more. */
static bool has_display(int argc, char **argv) {
  for (int k = 1; k < argc; k++)
    if (g_str_has_prefix(argv[k], "--help") || strcmp(argv[k], "-h") == 0 ||
        strcmp(argv[k], "--version") == 0)
      return true;
  return gtk_init_check();
}

int main(int argc, char **argv) {
  aio_standard_fill();
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error of its own */
  aui_language_init();
  if (!has_display(argc, argv)) {
    g_printerr("armature: %s\n",
               _("there is no display to open a window on: start it on a desktop, or use "
                 "armature-cli, which does the same without one (armature-cli --help)"));
    return 1;
  }
  g_autoptr(AuiApplication) application = aui_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
