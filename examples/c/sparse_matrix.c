/* A sparse matrix in compressed rows, as C programs have it, times a vector, in NESL. The arrays stay where they are. */
#include <inttypes.h>
#include <nesl.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program after an error. */
static void check(nesl_error *error) {
  if (error == NULL) return;
  fputs(nesl_error_report(error), stderr);
  nesl_error_free(error);
  exit(EXIT_FAILURE);
}

static const char *program =
    "function product(rows, v) = {sum({x * v[i] : (x, i) in row}) : row in rows};";

enum { ROWS = 4, ENTRIES = 7 };

int main(void) {
  /* Row r has the entries from starts[r] to starts[r + 1]. */
  const int64_t starts[ROWS + 1] = {0, 2, 2, 6, 7};
  double entries[ENTRIES] = {1, 2, 3, 4, 5, 6, 7};
  int32_t columns[ENTRIES] = {0, 3, 0, 1, 2, 3, 2};
  double v[4] = {1, 10, 100, 1000};

  nesl_session *session;
  nesl_function *product;
  nesl_value *parts[2], *flat, *arguments[2], *result;
  const void *data;
  const int64_t *positions;
  nesl_error *error;
  size_t length, k;

  check(nesl_open(NULL, &session));
  check(nesl_load(session, "product.nesl", program));
  check(nesl_lookup(session, "product", "[[(float, int)]], [float]", &product));

  check(nesl_borrow(session, NESL_FLOAT64, entries, ENTRIES, NULL, NULL, &parts[0]));
  check(nesl_borrow(session, NESL_INT32, columns, ENTRIES, NULL, NULL, &parts[1]));
  check(nesl_zip(parts, 2, &flat)); /* [(float, int)] */
  check(nesl_nest(flat, starts, ROWS, &arguments[0]));         /* [[(float, int)]] */
  check(nesl_borrow(session, NESL_FLOAT64, v, 4, NULL, NULL, &arguments[1]));

  check(nesl_call(product, arguments, 2, &result));
  check(nesl_data(result, NESL_FLOAT64, &data, &length));
  for (k = 0; k < length; k++) printf("%g\n", ((const double *)data)[k]);

  /* A column that the vector does not have: the error says which. */
  nesl_value_free(arguments[1]);
  check(nesl_borrow(session, NESL_FLOAT64, v, 3, NULL, NULL, &arguments[1]));
  nesl_value_free(result);
  error = nesl_call(product, arguments, 2, &result);
  printf("%s:%d: %s\n", nesl_error_file(error), nesl_error_line(error), nesl_error_message(error));
  length = nesl_error_path(error, &positions, NULL);
  for (k = 0; k < length; k++) printf("[%" PRId64 "]", positions[k]);
  printf("\n");
  nesl_error_free(error);

  nesl_value_free(parts[0]);
  nesl_value_free(parts[1]);
  nesl_value_free(flat);
  nesl_value_free(arguments[0]);
  nesl_value_free(arguments[1]);
  nesl_function_free(product);
  nesl_close(session);
  return 0;
}
