/* SPDX-License-Identifier: MIT */
#include "ui/kit/language.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <string.h>

/* The folder of translations in `folder`, g_free; NULL when there is none. */
static char *find_in(const char *folder) {
  static const char *const places[] = {"share/locale", "po"};
  for (gsize k = 0; k < G_N_ELEMENTS(places); k++) {
    g_autofree char *place = g_build_filename(folder, places[k], NULL);
    g_autofree char *german =
        g_build_filename(place, "de", "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);
    if (g_file_test(german, G_FILE_TEST_IS_REGULAR))
      return g_steal_pointer(&place);
  }
  return NULL;
}

/* Above the program, as its arms are. g_free. */
static char *find_translations(void) {
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *folder = g_path_get_dirname(program ? program : ".");
  char *found = find_in(folder);
  while (!found && strlen(folder) > 1) {
    char *above = g_path_get_dirname(folder);
    g_free(folder);
    folder = above;
    found = find_in(folder);
  }
  return found ? found : g_strdup(ARMATURE_LOCALEDIR);
}

void aui_language_init(void) {
  setlocale(LC_ALL, "");
  g_autofree char *folder = find_translations();
  bindtextdomain(GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset(GETTEXT_PACKAGE, "UTF-8");
  textdomain(GETTEXT_PACKAGE);
}
