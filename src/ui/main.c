/* SPDX-License-Identifier: MIT */
#include <glib/gi18n.h>
#include <locale.h>

#include "ui/application.h"

int main(int argc, char **argv) {
  setlocale(LC_ALL, "");
  bindtextdomain(GETTEXT_PACKAGE, ARMATURE_LOCALEDIR);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
  g_autoptr(AuiApplication) application = aui_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
