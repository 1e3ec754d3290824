/* SPDX-License-Identifier: MIT */
#include "ui/application.h"
#include "ui/language.h"

int main(int argc, char **argv) {
  aui_language_init();
  g_autoptr(AuiApplication) application = aui_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
