/* SPDX-License-Identifier: MIT */
/* A small compiler: sums of products of numbered values, with constants folded, zero terms dropped
 * and lines that nobody needs left out. Below rounding of its own summands a constant counts as 0,
 * or every cos(90 deg) of a placement would stay in the firmware. */
#include "io/export/export_program.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 96, NAME_SIZE = 24 };

/* Below this part of its summands a sum is what rounding left: cos(90 deg) and its like. */
static const double ROUNDING = 1e-15;

typedef struct {
  double factor;
  int a, b; /* a >= b; AIO_NO_NODE: the number 1 */
} Product;

typedef struct {
  AioNodeKind kind;
  int joint;
  double offset;
  guint first, count; /* SUM: products */
  bool is_needed;
  char name[NAME_SIZE];
} Node;

struct AioProgram {
  GArray *nodes, *products;
  double largest;
};

AioProgram *aio_program_new(void) {
  AioProgram *program = g_new0(AioProgram, 1);
  program->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
  program->products = g_array_new(FALSE, FALSE, sizeof(Product));
  return program;
}

void aio_program_free(AioProgram *program) {
  g_array_unref(program->nodes);
  g_array_unref(program->products);
  g_free(program);
}

static Node *node_at(const AioProgram *program, int node) {
  return &g_array_index(program->nodes, Node, node);
}

AioScalar aio_scalar_number(double number) {
  return (AioScalar){number, AIO_NO_NODE};
}

static void note_size(AioProgram *program, double number) {
  if (!(fabs(number) <= program->largest)) /* NaN too */
    program->largest = isnan(number) ? INFINITY : fabs(number);
}

double aio_program_largest(const AioProgram *program) {
  return program->largest;
}

static AioScalar append_node(AioProgram *program, const Node *node) {
  g_array_append_val(program->nodes, *node);
  return (AioScalar){1.0, (int)program->nodes->len - 1};
}

AioScalar aio_program_source(AioProgram *program, AioNodeKind kind, int joint, double offset) {
  static const char letters[] = {[AIO_NODE_COS] = 'c',
                                 [AIO_NODE_SIN] = 's',
                                 [AIO_NODE_SLIDE] = 'd',
                                 [AIO_NODE_SPEED] = 'v',
                                 [AIO_NODE_ACCELERATION] = 'a'};
  Node node = {.kind = kind, .joint = joint, .offset = offset};
  note_size(program, offset);
  g_snprintf(node.name, sizeof node.name, "%c%d", letters[kind], joint + 1);
  return append_node(program, &node);
}

typedef struct {
  Product product;
  double size; /* sum of the magnitudes that were added up in it */
} Term;

/* Adds x y to the term of the same nodes, or as a new one. */
static gsize add_term(Term *terms, gsize n, AioScalar x, AioScalar y) {
  const Product p = {x.factor * y.factor, MAX(x.node, y.node), MIN(x.node, y.node)};
  gsize k = 0;
  while (k < n && (terms[k].product.a != p.a || terms[k].product.b != p.b))
    k++;
  if (k == n)
    terms[k] = (Term){{0.0, p.a, p.b}, 0.0};
  terms[k].product.factor += p.factor;
  terms[k].size += fabs(p.factor);
  return MAX(n, k + 1);
}

static gsize drop_zeros(Term *terms, gsize n) {
  gsize kept = 0;
  for (gsize k = 0; k < n; k++)
    if (fabs(terms[k].product.factor) > ROUNDING * terms[k].size)
      terms[kept++] = terms[k];
  return kept;
}

AioScalar aio_program_sum(AioProgram *program, gsize n, const AioScalar (*products)[2],
                          const char *name_format, ...) {
  Term *terms = g_new(Term, n);
  AioScalar sum = aio_scalar_number(0.0);
  gsize count = 0;
  for (gsize k = 0; k < n; k++)
    if (products[k][0].factor != 0.0 && products[k][1].factor != 0.0)
      count = add_term(terms, count, products[k][0], products[k][1]);
  count = drop_zeros(terms, count);
  for (gsize k = 0; k < count; k++)
    note_size(program, terms[k].product.factor);
  if (count == 1 && terms[0].product.b == AIO_NO_NODE) {
    sum = (AioScalar){terms[0].product.factor, terms[0].product.a};
  } else if (count > 0) {
    Node node = {.kind = AIO_NODE_SUM, .first = program->products->len, .count = (guint)count};
    va_list arguments;
    va_start(arguments, name_format);
    g_vsnprintf(node.name, sizeof node.name, name_format, arguments);
    va_end(arguments);
    for (gsize k = 0; k < count; k++)
      g_array_append_val(program->products, terms[k].product);
    sum = append_node(program, &node);
  }
  g_free(terms);
  return sum;
}

static void need_node(AioProgram *program, int index) {
  if (index == AIO_NO_NODE || node_at(program, index)->is_needed)
    return;
  Node *node = node_at(program, index);
  node->is_needed = true;
  for (guint k = 0; k < node->count; k++) {
    const Product *p = &g_array_index(program->products, Product, node->first + k);
    need_node(program, p->a);
    need_node(program, p->b);
  }
}

void aio_program_need(AioProgram *program, AioScalar result) {
  if (result.factor != 0.0)
    need_node(program, result.node);
}

bool aio_program_reads(const AioProgram *program, AioNodeKind kind) {
  for (guint k = 0; k < program->nodes->len; k++)
    if (node_at(program, (int)k)->is_needed && node_at(program, (int)k)->kind == kind)
      return true;
  return false;
}

bool aio_program_reads_q(const AioProgram *program) {
  return aio_program_reads(program, AIO_NODE_COS) || aio_program_reads(program, AIO_NODE_SIN) ||
         aio_program_reads(program, AIO_NODE_SLIDE);
}

void aio_c_number(double number, bool is_float, GString *out) {
  const double value = is_float ? (double)(float)number : number;
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.00g";
  for (int digits = is_float ? 6 : 15; digits <= (is_float ? 9 : 17); digits++) {
    format[2] = (char)('0' + digits / 10);
    format[3] = (char)('0' + digits % 10);
    g_ascii_formatd(text, sizeof text, format, value);
    const double back = g_ascii_strtod(text, NULL);
    if ((is_float ? (double)(float)back : back) == value)
      break;
  }
  g_string_append(out, text);
  g_string_append(out, strpbrk(text, ".e") ? "" : ".0");
  g_string_append(out, is_float ? "f" : "");
}

/* "factor * a * b" without the sign of the factor */
static void print_product(const AioProgram *program, const Product *p, bool is_float,
                          GString *out) {
  const bool is_number = p->a == AIO_NO_NODE;
  if (is_number || fabs(p->factor) != 1.0)
    aio_c_number(fabs(p->factor), is_float, out);
  if (!is_number)
    g_string_append_printf(out, "%s%s", fabs(p->factor) != 1.0 ? " * " : "",
                           node_at(program, p->a)->name);
  if (p->b != AIO_NO_NODE)
    g_string_append_printf(out, " * %s", node_at(program, p->b)->name);
}

void aio_scalar_print(const AioProgram *program, AioScalar scalar, bool is_float, GString *out) {
  const Product p = {scalar.factor, scalar.node, AIO_NO_NODE};
  if (scalar.factor < 0.0)
    g_string_append_c(out, '-');
  print_product(program, &p, is_float, out);
}

/* The products with their signs, in lines of at most WIDTH columns. */
static void print_sum(const AioProgram *program, const Node *node, bool is_float, GString *out,
                      gsize line_start) {
  GString *term = g_string_new(NULL);
  for (guint k = 0; k < node->count; k++) {
    const Product *p = &g_array_index(program->products, Product, node->first + k);
    const bool is_negative = p->factor < 0.0;
    g_string_assign(term, k > 0 ? (is_negative ? "- " : "+ ") : is_negative ? "-" : "");
    print_product(program, p, is_float, term);
    if (out->len - line_start + term->len + 1 > WIDTH) {
      g_string_append_c(out, '\n');
      line_start = out->len;
      g_string_append(out, "     ");
    }
    g_string_append_printf(out, " %s", term->str);
  }
  g_string_free(term, TRUE);
}

static void print_source(const Node *node, bool is_float, GString *out) {
  GString *argument = g_string_new(NULL);
  static const char *const arrays[] = {[AIO_NODE_COS] = "q",
                                       [AIO_NODE_SIN] = "q",
                                       [AIO_NODE_SLIDE] = "q",
                                       [AIO_NODE_SPEED] = "qd",
                                       [AIO_NODE_ACCELERATION] = "qdd"};
  g_string_printf(argument, "%s[%d]", arrays[node->kind], node->joint);
  if (node->offset != 0.0) {
    g_string_append(argument, node->offset < 0.0 ? " - " : " + ");
    aio_c_number(fabs(node->offset), is_float, argument);
  }
  if (node->kind == AIO_NODE_COS || node->kind == AIO_NODE_SIN)
    g_string_append_printf(out, " %s%s(%s)", node->kind == AIO_NODE_COS ? "cos" : "sin",
                           is_float ? "f" : "", argument->str);
  else
    g_string_append_printf(out, " %s", argument->str);
  g_string_free(argument, TRUE);
}

void aio_program_print(const AioProgram *program, bool is_float, GString *out) {
  for (guint k = 0; k < program->nodes->len; k++) {
    const Node *node = node_at(program, (int)k);
    if (!node->is_needed)
      continue;
    const gsize line_start = out->len;
    g_string_append_printf(out, "  const %s %s =", is_float ? "float" : "double", node->name);
    if (node->kind == AIO_NODE_SUM)
      print_sum(program, node, is_float, out, line_start);
    else
      print_source(node, is_float, out);
    g_string_append(out, ";\n");
  }
}
