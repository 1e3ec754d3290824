/* SPDX-License-Identifier: MIT */
/* The page Connect by itself: at which rate a port is opened. */
#include "gui.h"
#include "recorded.h"
#include "ui/connect/page_connect.h"
#include "ui/connect/recent_devices.h"

typedef struct {
  GType type;
  const char *port; /* of a row; NULL: any */
  GtkWidget *found;
} Wanted;

static bool see(GtkWidget *widget, void *data) {
  Wanted *wanted = data;
  if (G_TYPE_CHECK_INSTANCE_TYPE(widget, wanted->type) &&
      (!wanted->port || g_strcmp0(g_object_get_data(G_OBJECT(widget), "port"), wanted->port) == 0))
    wanted->found = widget;
  return true;
}

static GtkWidget *find(Gui *gui, GType type, const char *port) {
  Wanted wanted = {.type = type, .port = port};
  gui_walk(gui->window, see, &wanted);
  g_assert_nonnull(wanted.found);
  return wanted.found;
}

static const char *rate(Gui *gui) {
  GtkDropDown *rates = GTK_DROP_DOWN(find(gui, GTK_TYPE_DROP_DOWN, NULL));
  return gtk_string_object_get_string(gtk_drop_down_get_selected_item(rates));
}

static void choose(Gui *gui, const char *port) {
  GtkWidget *row = find(gui, GTK_TYPE_LIST_BOX_ROW, port);
  g_signal_emit_by_name(gtk_widget_get_parent(row), "row-activated", row);
}

/* A rate that is not in the list, as of servo buses, is one more of it, once. */
static void test_rates(void) {
  Recorded recorded;
  Gui gui;
  recorded_init(&recorded, "data/robots/puma560-table1.arm.json");
  aui_recent_devices_add("/nowhere/slow", "a slow one", 57600);
  aui_recent_devices_add("/nowhere/fast", "a fast one", 4000000);
  gui_show(&gui, recorded.session, aui_page_connect_new(recorded.session), 1060, 700);
  g_assert_cmpstr(rate(&gui), ==, "1000000");
  GtkWidget *list = find(&gui, GTK_TYPE_DROP_DOWN, NULL);
  const guint n = g_list_model_get_n_items(gtk_drop_down_get_model(GTK_DROP_DOWN(list)));
  for (guint times = 0; times < 2; times++) {
    choose(&gui, "/nowhere/fast");
    g_assert_cmpstr(rate(&gui), ==, "4000000");
    choose(&gui, "/nowhere/slow");
    g_assert_cmpstr(rate(&gui), ==, "57600");
  }
  g_assert_cmpuint(g_list_model_get_n_items(gtk_drop_down_get_model(GTK_DROP_DOWN(list))), ==,
                   n + 1);
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  AuiApplication *application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/page_connect/rates", test_rates);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
