/* SPDX-License-Identifier: MIT */
/* Devices that were connected before: the last ones, each once. */
#include "ui/connect/recent_devices.h"

static void test_recent(void) {
  for (guint k = 0; k < AUI_RECENT_DEVICES + 2; k++) {
    g_autofree char *id = g_strdup_printf("0403:6014:S%u", k);
    aui_recent_devices_add(id, "an adapter", 115200);
  }
  aui_recent_devices_add("0403:6014:S3", "an adapter", 57600);
  g_autoptr(GPtrArray) list = aui_recent_devices();
  g_assert_cmpuint(list->len, ==, AUI_RECENT_DEVICES);
  const AuiRecentDevice *first = list->pdata[0], *second = list->pdata[1];
  g_assert_cmpstr(first->id, ==, "0403:6014:S3");
  g_assert_cmpuint(first->baud, ==, 57600);
  g_assert_cmpstr(second->id, ==, "0403:6014:S7");
}

int main(int argc, char **argv) {
  g_setenv("GSETTINGS_BACKEND", "memory", TRUE); /* not the settings of whoever tests */
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/recent-devices/recent", test_recent);
  return g_test_run();
}
