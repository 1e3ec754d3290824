/* SPDX-License-Identifier: MIT */
#include "ui/connect/recent.h"

#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "ui/kit/settings.h"

static void recent_free(gpointer data) {
  AuiRecent *recent = data;
  g_free(recent->path);
  g_free(recent->arm);
  g_free(recent);
}

GPtrArray *aui_recent_list(void) {
  GPtrArray *list = g_ptr_array_new_with_free_func(recent_free);
  g_autoptr(GVariant) stored = g_settings_get_value(aui_settings(), "recent");
  const char *path, *arm;
  gint64 opened_s;
  GVariantIter rows;
  g_variant_iter_init(&rows, stored);
  while (g_variant_iter_next(&rows, "(&s&sx)", &path, &arm, &opened_s))
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
      AuiRecent *recent = g_new(AuiRecent, 1);
      *recent = (AuiRecent){g_strdup(path), g_strdup(arm), opened_s};
      g_ptr_array_add(list, recent);
    }
  return list;
}

/* GVariant strings are UTF-8; a file name need not be, and is then not remembered. */
void aui_recent_add(const char *path, const char *arm, gint64 opened_s) {
  g_autoptr(GPtrArray) list = aui_recent_list();
  GVariantBuilder rows;
  if (!g_utf8_validate(path, -1, NULL))
    return;
  g_variant_builder_init(&rows, G_VARIANT_TYPE("a(ssx)"));
  g_variant_builder_add(&rows, "(ssx)", path, arm, opened_s);
  for (guint k = 0, n = 1; k < list->len && n < AUI_RECENT_MAX; k++) {
    const AuiRecent *other = list->pdata[k];
    if (strcmp(other->path, path) == 0)
      continue;
    g_variant_builder_add(&rows, "(ssx)", other->path, other->arm, other->opened_s);
    n++;
  }
  g_settings_set_value(aui_settings(), "recent", g_variant_builder_end(&rows));
}

char *aui_recent_text(const AuiRecent *recent) {
  g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(recent->opened_s);
  g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;
  g_autofree char *date = local ? g_date_time_format(local, "%x %H:%M") : g_strdup("");
  /* Translators: a session: the arm's name, when it was opened */
  g_autofree char *arm = aio_text_visible(recent->arm, false);
  return g_strdup_printf(_("%s, %s"), arm, date);
}

/* An underscore of the arm's name is no mnemonic. */
static char *escape(const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "_", -1);
  return g_strjoinv("__", parts);
}

static void append_item(GMenu *menu, const AuiRecent *recent) {
  g_autofree char *text = aui_recent_text(recent);
  g_autofree char *label = escape(text);
  g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
  g_menu_item_set_action_and_target(item, "app.open-path", "s", recent->path);
  g_menu_append_item(menu, item);
}

GMenuModel *aui_recent_menu(void) {
  g_autoptr(GPtrArray) list = aui_recent_list();
  GMenu *menu = g_menu_new();
  for (guint k = 0; k < list->len; k++)
    append_item(menu, list->pdata[k]);
  return G_MENU_MODEL(menu);
}
