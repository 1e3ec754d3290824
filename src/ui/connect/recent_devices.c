/* SPDX-License-Identifier: MIT */
#include "ui/connect/recent_devices.h"

#include <string.h>

#include "ui/kit/settings.h"

#define KEY  "recent-devices"
#define TYPE "a(ssu)"

static void device_free(gpointer data) {
  AuiRecentDevice *device = data;
  g_free(device->id);
  g_free(device->title);
  g_free(device);
}

GPtrArray *aui_recent_devices(void) {
  GPtrArray *list = g_ptr_array_new_with_free_func(device_free);
  g_autoptr(GVariant) value = g_settings_get_value(aui_settings(), KEY);
  GVariantIter iter;
  const char *id, *title;
  guint32 baud;
  g_variant_iter_init(&iter, value);
  while (g_variant_iter_next(&iter, "(&s&su)", &id, &title, &baud)) {
    AuiRecentDevice *device = g_new(AuiRecentDevice, 1);
    *device = (AuiRecentDevice){g_strdup(id), g_strdup(title), baud};
    g_ptr_array_add(list, device);
  }
  return list;
}

/* All but this one, behind what the builder has. */
static void append_others(GVariantBuilder *builder, const char *id) {
  g_autoptr(GPtrArray) list = aui_recent_devices();
  for (guint k = 0, n = 0; k < list->len && n < AUI_RECENT_DEVICES - 1; k++) {
    const AuiRecentDevice *device = list->pdata[k];
    if (strcmp(device->id, id) == 0)
      continue;
    g_variant_builder_add(builder, "(ssu)", device->id, device->title, device->baud);
    n++;
  }
}

void aui_recent_devices_add(const char *id, const char *title, guint baud) {
  GVariantBuilder builder;
  g_variant_builder_init(&builder, G_VARIANT_TYPE(TYPE));
  g_variant_builder_add(&builder, "(ssu)", id, title, baud);
  append_others(&builder, id);
  g_settings_set_value(aui_settings(), KEY, g_variant_builder_end(&builder));
}
