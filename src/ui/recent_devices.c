/* SPDX-License-Identifier: MIT */
#include "ui/recent_devices.h"

#include <gio/gio.h>
#include <string.h>

#define SCHEMA "org.armature.Armature"
#define KEY    "recent-devices"
#define TYPE   "a(ssu)"

static GVariant *kept; /* where no settings are installed; in the main thread */

/* NULL: not installed. */
static GSettings *open_settings(void) {
  GSettingsSchemaSource *source = g_settings_schema_source_get_default();
  g_autoptr(GSettingsSchema) schema =
      source ? g_settings_schema_source_lookup(source, SCHEMA, TRUE) : NULL;
  if (!schema || !g_settings_schema_has_key(schema, KEY))
    return NULL;
  return g_settings_new_full(schema, NULL, NULL);
}

static void device_free(gpointer data) {
  AuiRecentDevice *device = data;
  g_free(device->id);
  g_free(device->title);
  g_free(device);
}

GPtrArray *aui_recent_devices(void) {
  g_autoptr(GSettings) settings = open_settings();
  GPtrArray *list = g_ptr_array_new_with_free_func(device_free);
  g_autoptr(GVariant) value = settings ? g_settings_get_value(settings, KEY)
                              : kept   ? g_variant_ref(kept)
                                       : NULL;
  if (!value)
    return list;
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

static void store(GVariant *value) {
  g_autoptr(GSettings) settings = open_settings();
  g_autoptr(GVariant) owned = g_variant_ref_sink(value);
  if (settings)
    g_settings_set_value(settings, KEY, owned);
  g_clear_pointer(&kept, g_variant_unref);
  kept = g_steal_pointer(&owned);
}

/* All but this one, behind what the builder has. */
static void append_others(GVariantBuilder *builder, const char *id, guint most) {
  g_autoptr(GPtrArray) list = aui_recent_devices();
  for (guint k = 0, n = 0; k < list->len && n < most; k++) {
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
  append_others(&builder, id, AUI_RECENT_DEVICES - 1);
  store(g_variant_builder_end(&builder));
}

void aui_recent_devices_forget(const char *id) {
  GVariantBuilder builder;
  g_variant_builder_init(&builder, G_VARIANT_TYPE(TYPE));
  append_others(&builder, id, AUI_RECENT_DEVICES);
  store(g_variant_builder_end(&builder));
}
