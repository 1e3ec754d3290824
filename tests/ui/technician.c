/* SPDX-License-Identifier: MIT */
#include "technician.h"

#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiAccessible, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiAction, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiComponent, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiEditableText, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiSelection, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiStateSet, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiText, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AtspiValue, g_object_unref)

enum { START_S = 60, FIND_S = 60, LEAVE_S = 20 };
/* Between two looks. One that takes longer, asking the program for hundreds of names, leaves it
 * more time for itself. */
static const double LOOK_S = 0.1, LOOK_TIMES = 4.0, LOOK_MAX_S = 1.0;
enum { LOOKS_AGAIN = 10 };

struct Technician {
  GPid pid;
  AtspiAccessible *program; /* as the bus knows it */
  AtspiAccessible *page;    /* that was gone to, NULL at first */
  AtspiAccessible *pages;   /* where all of them are */
};

static void wait_a_moment(double seconds) {
  g_usleep((gulong)(1e6 * seconds));
}

void technician_pass(double seconds) {
  wait_a_moment(seconds);
}

static void wait_to_look_again(gint64 looked_us) {
  const double took_s = 1e-6 * (double)(g_get_monotonic_time() - looked_us);
  wait_a_moment(CLAMP(LOOK_TIMES * took_s, LOOK_S, LOOK_MAX_S));
}

static void fail(Technician *self, const char *format, ...) G_GNUC_PRINTF(2, 3) G_NORETURN;

/* ---- what is there ---- */

/* Without the underscores of mnemonics. */
static char *spoken(const char *name) {
  GString *text = g_string_new(NULL);
  for (const char *c = name; *c; c++)
    if (*c != '_')
      g_string_append_c(text, *c);
  return g_string_free(text, FALSE);
}

/* GTK 4.8 reads the buttons of its own dialogs out twice: "_Save Save". */
static bool is_named(AtspiAccessible *node, const char *pattern) {
  g_autofree char *name = atspi_accessible_get_name(node, NULL);
  g_autofree char *heard = spoken(name ? name : "");
  g_autofree char *twice = g_strdup_printf("%s %s", pattern, pattern);
  return g_pattern_match_simple(pattern, heard) || g_pattern_match_simple(twice, heard);
}

static void append_children(GPtrArray *nodes, AtspiAccessible *node) {
  const int n = atspi_accessible_get_child_count(node, NULL);
  for (int k = 0; k < n; k++) {
    AtspiAccessible *child = atspi_accessible_get_child_at_index(node, k, NULL);
    if (child)
      g_ptr_array_add(nodes, child);
  }
}

/* Breadth first: what is near the top is found before the cells of tables are looked at. Not below
 * `closed`. */
static AtspiAccessible *search(AtspiAccessible *top, const AtspiAccessible *closed, AtspiRole role,
                               const char *pattern) {
  g_autoptr(GPtrArray) nodes = g_ptr_array_new_with_free_func(g_object_unref);
  g_ptr_array_add(nodes, g_object_ref(top));
  for (guint k = 0; k < nodes->len; k++) {
    AtspiAccessible *node = nodes->pdata[k];
    if ((role == ATSPI_ROLE_INVALID || atspi_accessible_get_role(node, NULL) == role) &&
        is_named(node, pattern))
      return g_object_ref(node);
    if (node != closed)
      append_children(nodes, node);
  }
  return NULL;
}

/* On the page first: another may have a button of the same name. */
AtspiAccessible *technician_look(Technician *self, AtspiRole role, const char *name) {
  g_autofree char *pattern = spoken(name);
  AtspiAccessible *found = self->page ? search(self->page, NULL, role, pattern) : NULL;
  return found ? found : search(self->program, self->pages, role, pattern);
}

AtspiAccessible *technician_find(Technician *self, AtspiRole role, const char *name,
                                 double seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  AtspiAccessible *found;
  gint64 looked_us = g_get_monotonic_time();
  while (!(found = technician_look(self, role, name))) {
    if (g_get_monotonic_time() > end)
      fail(self, "there is no \"%s\" after %.0f s", name, seconds);
    wait_to_look_again(looked_us);
    looked_us = g_get_monotonic_time();
  }
  return found;
}

static bool has_state(AtspiAccessible *node, AtspiStateType state) {
  g_autoptr(AtspiStateSet) states = atspi_accessible_get_state_set(node);
  return states && atspi_state_set_contains(states, state);
}

/* ---- using it ---- */

static AtspiAccessible *look_for_button(Technician *self, const char *name) {
  AtspiAccessible *button = technician_look(self, ATSPI_ROLE_PUSH_BUTTON, name);
  return button ? button : technician_look(self, ATSPI_ROLE_TOGGLE_BUTTON, name);
}

bool technician_can_click(Technician *self, const char *name) {
  g_autoptr(AtspiAccessible) button = look_for_button(self, name);
  return button && has_state(button, ATSPI_STATE_SENSITIVE);
}

/* Whether it can be used within a while. A button that waits is asked for its state alone: looking
 * for it again costs the program and the bus hundreds of answers each time. It is looked for again
 * all the same, for it may have been replaced. */
static bool comes_to_life(AtspiAccessible *button) {
  for (int look = 0; look < LOOKS_AGAIN; look++) {
    if (has_state(button, ATSPI_STATE_SENSITIVE))
      return true;
    wait_a_moment(LOOK_S);
  }
  return false;
}

/* A button that can be used, waited for. g_object_unref. */
static AtspiAccessible *wait_for_button(Technician *self, const char *name) {
  const gint64 end = g_get_monotonic_time() + (gint64)FIND_S * G_USEC_PER_SEC;
  AtspiAccessible *button;
  gint64 looked_us = g_get_monotonic_time();
  while (!(button = look_for_button(self, name)) || !comes_to_life(button)) {
    if (g_get_monotonic_time() > end)
      fail(self, "there is no button \"%s\" that can be used", name);
    if (!button)
      wait_to_look_again(looked_us);
    g_clear_object(&button);
    looked_us = g_get_monotonic_time();
  }
  return button;
}

void technician_wait_button(Technician *self, const char *name) {
  g_object_unref(wait_for_button(self, name));
}

void technician_click(Technician *self, const char *name) {
  g_autoptr(AtspiAccessible) button = wait_for_button(self, name);
  g_autoptr(AtspiAction) action = atspi_accessible_get_action_iface(button);
  if (!action || !atspi_action_do_action(action, 0, NULL))
    fail(self, "the button \"%s\" cannot be pressed", name);
}

void technician_set(Technician *self, const char *name, double value) {
  g_autoptr(AtspiAccessible) control = technician_find(self, ATSPI_ROLE_SPIN_BUTTON, name, FIND_S);
  g_autoptr(AtspiValue) number = atspi_accessible_get_value_iface(control);
  if (!number || !atspi_value_set_current_value(number, value, NULL) ||
      atspi_value_get_current_value(number, NULL) != value)
    fail(self, "\"%s\" did not take %g", name, value);
}

static AtspiAccessible *look_for_window(Technician *self, const char *title) {
  const int n = atspi_accessible_get_child_count(self->program, NULL);
  for (int k = 0; k < n; k++) {
    AtspiAccessible *window = atspi_accessible_get_child_at_index(self->program, k, NULL);
    if (window && is_named(window, title))
      return window;
    g_clear_object(&window);
  }
  return NULL;
}

void technician_fill(Technician *self, const char *name, const char *text) {
  g_autoptr(AtspiAccessible) entry = technician_find(self, ATSPI_ROLE_TEXT, name, FIND_S);
  g_autoptr(AtspiEditableText) editable = atspi_accessible_get_editable_text_iface(entry);
  if (!editable || !atspi_editable_text_set_text_contents(editable, text, NULL))
    fail(self, "\"%s\" takes no text", name);
}

/* The name is the first entry in the dialog. */
void technician_save(Technician *self, const char *dialog, const char *save, const char *path) {
  const gint64 end = g_get_monotonic_time() + (gint64)FIND_S * G_USEC_PER_SEC;
  g_autoptr(AtspiAccessible) window = NULL;
  while (!(window = look_for_window(self, dialog)) && g_get_monotonic_time() < end)
    wait_a_moment(LOOK_S);
  g_autoptr(AtspiAccessible) entry = window ? search(window, NULL, ATSPI_ROLE_TEXT, "*") : NULL;
  g_autoptr(AtspiEditableText) text =
      entry ? atspi_accessible_get_editable_text_iface(entry) : NULL;
  if (!text || !atspi_editable_text_set_text_contents(text, path, NULL))
    fail(self, "there is no dialog \"%s\" that takes a name", dialog);
  technician_click(self, save);
}

/* ---- other programs that help ---- */

static bool run(const char *const *argv) {
  int status = 0;
  g_autoptr(GError) error = NULL;
  return g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
                      &status, &error) &&
         g_spawn_check_wait_status(status, NULL);
}

void technician_press(Technician *self, const char *key) {
  const char *const argv[] = {"xdotool", "key", "--clearmodifiers", key, NULL};
  (void)self;
  if (!run(argv))
    g_error("the key %s cannot be pressed", key);
}

/* Without a window manager the window is at the screen's origin. */
static bool click_into(AtspiAccessible *entry) {
  g_autoptr(AtspiComponent) component = atspi_accessible_get_component_iface(entry);
  AtspiRect *at =
      component ? atspi_component_get_extents(component, ATSPI_COORD_TYPE_WINDOW, NULL) : NULL;
  g_autofree char *x = g_strdup_printf("%d", at ? at->x + at->width / 2 : 0);
  g_autofree char *y = g_strdup_printf("%d", at ? at->y + at->height / 2 : 0);
  const char *const argv[] = {"xdotool", "mousemove", x, y, "click", "1", NULL};
  g_free(at);
  return component && run(argv);
}

void technician_type(Technician *self, const char *name, const char *text) {
  g_autoptr(AtspiAccessible) entry = technician_find(self, ATSPI_ROLE_TEXT, name, FIND_S);
  const char *const argv[] = {"xdotool", "type", "--delay", "20", text, NULL};
  if (!click_into(entry) || !run(argv))
    fail(self, "nothing can be typed into \"%s\"", name);
  technician_press(self, "Return");
}

void technician_shoot(Technician *self, const char *name) {
  const char *folder = g_getenv("ARMATURE_SHOTS");
  g_autofree char *path = g_strdup_printf("%s/%s.png", folder, name);
  const char *const argv[] = {"import", "-silent", "-window", "root", path, NULL};
  (void)self;
  if (!folder)
    return;
  g_mkdir_with_parents(folder, 0755);
  if (!run(argv))
    g_error("there is no picture of the screen");
}

/* What the program has said, all of it. g_free. */
static char *messages(Technician *self) {
  g_autoptr(AtspiAccessible) log = technician_look(self, ATSPI_ROLE_TEXT, _("Messages"));
  g_autoptr(AtspiText) text = log ? atspi_accessible_get_text_iface(log) : NULL;
  const int n = text ? atspi_text_get_character_count(text, NULL) : 0;
  return n > 0 ? atspi_text_get_text(text, 0, n, NULL) : g_strdup("");
}

/* Ends the test, with a picture. */
static void fail(Technician *self, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  int status;
  if (waitpid(self->pid, &status, WNOHANG) == self->pid)
    g_error("%s, the program has ended (%d)", what, status);
  g_autofree char *said = messages(self);
  technician_shoot(self, "technician-failed");
  g_error("%s\n%s", what, said);
}

/* ---- the steps ---- */

static AtspiAccessible *step_row(Technician *self, int page) {
  g_autofree char *pattern = g_strdup_printf("%d *", page);
  return technician_find(self, ATSPI_ROLE_LIST_ITEM, pattern, FIND_S);
}

char *technician_step(Technician *self, int page) {
  g_autoptr(AtspiAccessible) row = step_row(self, page);
  return atspi_accessible_get_name(row, NULL);
}

/* "3 Plan, ready: ..." is the row of the page Plan. */
static char *title_of(const char *row) {
  const char *title = strchr(row, ' '), *end = title ? strchr(title, ',') : NULL;
  return end ? g_strndup(title + 1, (gsize)(end - title - 1)) : g_strdup(row);
}

void technician_go_to(Technician *self, int page) {
  g_autoptr(AtspiAccessible) row = step_row(self, page);
  g_autoptr(AtspiAccessible) list = atspi_accessible_get_parent(row, NULL);
  g_autoptr(AtspiSelection) selection = atspi_accessible_get_selection_iface(list);
  if (!selection || !atspi_selection_select_child(
                        selection, atspi_accessible_get_index_in_parent(row, NULL), NULL))
    fail(self, "page %d cannot be chosen", page);
  g_autofree char *name = atspi_accessible_get_name(row, NULL);
  g_autofree char *title = title_of(name);
  g_clear_object(&self->page);
  g_clear_object(&self->pages);
  self->page = search(self->program, NULL, ATSPI_ROLE_PANEL, title);
  self->pages = self->page ? atspi_accessible_get_parent(self->page, NULL) : NULL;
}

void technician_wait_step(Technician *self, int page, const char *state, const char *failed,
                          double seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  g_autofree char *wanted = g_strdup_printf("%d *, %s*", page, state);
  g_autofree char *unwanted = g_strdup_printf("%d *, %s*", page, failed);
  g_autoptr(AtspiAccessible) row = step_row(self, page);
  for (bool is_there = false; !is_there;) {
    g_autofree char *name = atspi_accessible_get_name(row, NULL);
    is_there = name && g_pattern_match_simple(wanted, name);
    if (name && g_pattern_match_simple(unwanted, name))
      fail(self, "step %s", name);
    if (!is_there && g_get_monotonic_time() > end)
      fail(self, "after %.0f s step %d is not \"%s\" but \"%s\"", seconds, page, state, name);
    if (!is_there)
      wait_a_moment(LOOK_S);
  }
}

/* ---- coming and going ---- */

static AtspiAccessible *program_of(GPid pid) {
  g_autoptr(AtspiAccessible) desktop = atspi_get_desktop(0);
  const int n = atspi_accessible_get_child_count(desktop, NULL);
  for (int k = 0; k < n; k++) {
    AtspiAccessible *program = atspi_accessible_get_child_at_index(desktop, k, NULL);
    if (program && (GPid)atspi_accessible_get_process_id(program, NULL) == pid)
      return program;
    g_clear_object(&program);
  }
  return NULL;
}

/* What is read is always asked for. */
static bool find_program(Technician *self) {
  self->program = program_of(self->pid);
  if (!self->program)
    return false;
  atspi_accessible_set_cache_mask(self->program, ATSPI_CACHE_NONE);
  g_autoptr(AtspiAccessible) list = technician_look(self, ATSPI_ROLE_LIST_ITEM, "1 *");
  if (!list)
    g_clear_object(&self->program);
  return list != NULL;
}

/* Of the program: with the watchdog of its main loop, where there is one (see watchdog.h). */
static char **environment(void) {
  char **environment = g_get_environ();
  const char *module = g_getenv("ARMATURE_WATCHDOG_MODULE");
  return module ? g_environ_setenv(environment, "LD_PRELOAD", module, true) : environment;
}

/* A file that grows too large is a message of the program, not its end. */
static void check_signals(const Technician *self) {
  g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)self->pid), *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  const char *ignored = strstr(text, "SigIgn:");
  g_assert_nonnull(ignored);
  const guint64 mask = g_ascii_strtoull(ignored + strlen("SigIgn:"), NULL, 16);
  g_assert_true(mask >> (SIGXFSZ - 1) & 1);
}

Technician *technician_start(const char *const *argv) {
  g_autoptr(GError) error = NULL;
  Technician *self = g_new0(Technician, 1);
  int status;
  const gint64 end = g_get_monotonic_time() + (gint64)START_S * G_USEC_PER_SEC;
  g_auto(GStrv) envp = environment();
  if (!g_spawn_async(NULL, (char **)argv, envp, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &self->pid,
                     &error))
    g_error("%s", error->message);
  while (!find_program(self)) {
    if (waitpid(self->pid, &status, WNOHANG) == self->pid)
      g_error("%s ended at once (%d)", argv[0], status);
    if (g_get_monotonic_time() > end)
      g_error("%s shows no window after %d s", argv[0], START_S);
    wait_a_moment(LOOK_S);
  }
  check_signals(self);
  return self;
}

static void forget(Technician *self) {
  g_clear_object(&self->page);
  g_clear_object(&self->pages);
  g_clear_object(&self->program);
  g_spawn_close_pid(self->pid);
  g_free(self);
}

void technician_leave(Technician *self) {
  const gint64 end = g_get_monotonic_time() + (gint64)LEAVE_S * G_USEC_PER_SEC;
  int status = -1;
  technician_press(self, "ctrl+q");
  while (waitpid(self->pid, &status, WNOHANG) == 0) {
    if (g_get_monotonic_time() > end)
      fail(self, "the program does not end");
    wait_a_moment(LOOK_S);
  }
  g_autoptr(GError) error = NULL;
  if (!g_spawn_check_wait_status(status, &error))
    fail(self, "the program ended badly: %s", error->message);
  forget(self);
}

void technician_kill(Technician *self) {
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  forget(self);
}
