/* SPDX-License-Identifier: MIT */
/* Each trouble with a port has words and a cure of its own. */
#include "io/base/error.h"
#include "ui/kit/trouble.h"

static void test_troubles(void) {
  static const struct {
    int code;
    AuiCure cure;
  } cases[] = {{AIO_ERROR_PERMISSION, AUI_CURE_COPY}, {AIO_ERROR_BUSY, AUI_CURE_RETRY},
               {AIO_ERROR_NOT_FOUND, AUI_CURE_WAIT},  {AIO_ERROR_GONE, AUI_CURE_WAIT},
               {AIO_ERROR_TIMEOUT, AUI_CURE_RETRY},   {AIO_ERROR_REFUSED, AUI_CURE_NONE}};
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autoptr(GError) error = g_error_new_literal(AIO_ERROR, cases[k].code, "x");
    AuiTrouble trouble;
    aui_trouble_of(error, &trouble);
    g_assert_cmpint(trouble.cure, ==, cases[k].cure);
    g_assert_cmpint(*trouble.button != '\0', ==, cases[k].cure != AUI_CURE_NONE);
    g_assert_true(g_hash_table_add(seen, (gpointer)trouble.what)); /* each told apart */
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/trouble/troubles", test_troubles);
  return g_test_run();
}
