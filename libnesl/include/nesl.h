/* NESL inside other programs: functions written in NESL, called with the caller's arrays. docs/c-api.md is the manual.
 *
 * Whatever can fail returns an error, or NULL if it has succeeded; what it makes is then in the last argument, and is
 * to be freed by the caller. After an error the last argument is NULL, and the error is to be freed.
 *
 * A session is used by one thread at a time: a call waits until that of another thread has ended. Different sessions do
 * not wait for each other. Handles are numbers, never addresses, and none is used twice. So one that has been freed, or
 * is of the wrong session, is an error and never a crash.
 */
#ifndef NESL_H
#define NESL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NESL_API __attribute__((visibility("default")))
#else
#define NESL_API
#endif

typedef struct nesl_session nesl_session;
typedef struct nesl_function nesl_function;
typedef struct nesl_value nesl_value;
typedef struct nesl_error nesl_error;

/* The version of the library, as in "0.2.0". */
NESL_API const char* nesl_version(void);

/* --- errors ----------------------------------------------------------------------------------------------------- */

typedef enum {
  NESL_NO_ERROR = 0,
  NESL_ERROR_ARGUMENT = 1,  /* what was handed over: NULL, a wrong type, ragged offsets, an old handle */
  NESL_ERROR_TEXT = 2,      /* a NESL text: syntax, types, an unknown name, a file that cannot be read */
  NESL_ERROR_RUN = 3,       /* a program while it ran: an index out of range, a division by zero, error("...") */
  NESL_ERROR_RESOURCE = 4,  /* what a program runs on: memory, stack, the vector library */
  NESL_ERROR_CANCELLED = 5, /* nesl_cancel() */
  NESL_ERROR_INTERNAL = 6   /* a mistake in the library */
} nesl_error_class;

/* All are valid until the error is freed, and answer for NULL as for no error. */
NESL_API nesl_error_class nesl_error_kind(const nesl_error* error);
/* What is wrong, without the place, but with the values at fault. */
NESL_API const char* nesl_error_message(const nesl_error* error);
/* All that is known, in lines, as the nesl command prints it: place, source line with a caret, values, element,
 * callers; of a text, all its errors. */
NESL_API const char* nesl_error_report(const nesl_error* error);
/* The place in the NESL text: the name of the text and of the function (each may be ""), and line and column from 1 on,
 * or 0 if there is no place. */
NESL_API const char* nesl_error_file(const nesl_error* error);
NESL_API const char* nesl_error_function(const nesl_error* error);
NESL_API int nesl_error_line(const nesl_error* error);
NESL_API int nesl_error_column(const nesl_error* error);
/* Which element of the sequences gone through by the apply-to-eaches around the place was at fault, the outermost
 * first. Returns how many positions there are, 0 if the element is not known. `complete` (or NULL) tells whether the
 * first one is of the outermost apply-to-each. */
NESL_API size_t nesl_error_path(const nesl_error* error, const int64_t** positions, int* complete);
NESL_API void nesl_error_free(nesl_error* error);

/* --- sessions --------------------------------------------------------------------------------------------------- */

/* How a session runs. Begin with `nesl_options options = NESL_OPTIONS_INIT;`. */
typedef struct {
  size_t size;              /* sizeof(nesl_options) */
  const char* backend;      /* the vector library: "cpu", "cuda", "auto" for the best that works; NULL: "cpu" */
  int threads;              /* of a vector library that has several; 0: all processors */
  size_t memory;            /* most bytes for vectors and stacks; 0: what the machine has */
  size_t stack;             /* most bytes for calls inside each other; 0: a quarter of that */
  uint64_t seed;            /* of random numbers, which begin anew with each call */
  int sandbox;              /* not 0: programs may open no files, start no processes and load no other files */
  int optimize;             /* the level of optimization, 0 to 2 */
  int int_bits;             /* of NESL's int: 32 or 64 */
  int float_bits;           /* of NESL's float: 32 or 64 */
  const char* kernel_cache; /* the folder for compiled kernels, "off" for none; NULL: the user's */
} nesl_options;

#define NESL_OPTIONS_INIT \
  { sizeof(nesl_options), NULL, 0, 0, 0, 0, 0, 2, 32, 64, NULL }

/* NULL for options: as NESL_OPTIONS_INIT says. */
NESL_API nesl_error* nesl_open(const nesl_options* options, nesl_session** session);
/* A session with definitions and variables of its own, which shares the vector library, its memory and its threads with
 * another, and takes turns with it. Values and errors of one are those of both; a datatype is known by its name in each
 * that defines it. It is closed as any session, and ends with the one that nesl_open() has opened. */
NESL_API nesl_error* nesl_open_scope(nesl_session* session, nesl_session** scope);
/* Waits for the call that runs, and ends the session. Its functions can no longer be called, and nothing can be loaded;
 * its values can be read until they are freed. NULL is nothing to be closed. */
NESL_API void nesl_close(nesl_session* session);
/* Stops what runs in the session: it ends soon, with NESL_ERROR_CANCELLED. Does nothing if nothing runs. For another
 * thread; a signal handler must not call it, since it takes locks. */
NESL_API void nesl_cancel(nesl_session* session);
/* For the calls that follow. */
NESL_API nesl_error* nesl_set_seed(nesl_session* session, uint64_t seed);

/* Reads the statements of a text: definitions, and assignments, which are computed at once. Errors name it by `name`.
 * What is right in a text with errors has taken effect, up to the first statement that failed while it ran. */
NESL_API nesl_error* nesl_load(nesl_session* session, const char* name, const char* text);
NESL_API nesl_error* nesl_load_file(nesl_session* session, const char* file);
/* As nesl_load(). The value is that of the last statement if it is an expression, else NULL, without an error. */
NESL_API nesl_error* nesl_evaluate(nesl_session* session, const char* name, const char* text, nesl_value** value);
/* The names that the texts of the session have defined, each with a line feed behind it, in the order in which they
 * were first defined. The text is valid as long as that of nesl_profile_end(). */
NESL_API nesl_error* nesl_names(nesl_session* session, const char** names);

/* How the statements, lookups and calls run that follow is measured, until nesl_profile_end(), instead of what has been
 * measured so far. Calls take longer meanwhile. */
NESL_API nesl_error* nesl_profile_begin(nesl_session* session);
/* Tables of the operations and functions that ran since, the most expensive first, as the nesl command prints them; ""
 * if none did. The text is valid until the thread asks any session for the next, for names or for an explanation. */
NESL_API nesl_error* nesl_profile_end(nesl_session* session, const char** text);
/* For a function and the types of arguments, as for nesl_lookup(): the operations that fusion makes kernels of, and
 * which not and why, below the operations. "" if there are none on vectors. */
NESL_API nesl_error* nesl_explain(nesl_session* session, const char* name, const char* types, const char** text);

/* --- functions -------------------------------------------------------------------------------------------------- */

/* Compiles a function for arguments of these types, written as in NESL with commas between: "[float], int". It is
 * compiled once, however often it is looked up. With NULL or "" for types, `name` is a variable, which is the result of
 * a call without arguments. What is looked up keeps its meaning whatever is loaded later. */
NESL_API nesl_error* nesl_lookup(nesl_session* session, const char* name, const char* types, nesl_function** function);
/* Valid until the function is freed; NULL if there is no such function or argument. */
NESL_API const char* nesl_function_result_type(const nesl_function* function);
NESL_API const char* nesl_function_argument_type(const nesl_function* function, size_t argument);
NESL_API size_t nesl_function_arguments(const nesl_function* function);
NESL_API void nesl_function_free(nesl_function* function);

/* The arguments stay the caller's, and can be used again. */
NESL_API nesl_error* nesl_call(const nesl_function* function, nesl_value* const* arguments, size_t count,
                               nesl_value** result);

/* --- values from the caller's data ------------------------------------------------------------------------------ */

/* The elements of an array. */
typedef enum {
  NESL_INT32 = 1,   /* int32_t; for ints */
  NESL_INT64 = 2,   /* int64_t; for ints */
  NESL_FLOAT32 = 3, /* float; for floats */
  NESL_FLOAT64 = 4, /* double; for floats */
  NESL_BOOL8 = 5,   /* a byte, false if it is 0; for bools */
  NESL_CHAR8 = 6    /* a byte; for chars */
} nesl_element;

NESL_API nesl_error* nesl_int(nesl_session* session, int64_t number, nesl_value** value);
NESL_API nesl_error* nesl_float(nesl_session* session, double number, nesl_value** value);
NESL_API nesl_error* nesl_bool(nesl_session* session, int truth, nesl_value** value);
NESL_API nesl_error* nesl_char(nesl_session* session, unsigned char character, nesl_value** value);

/* A sequence of `length` scalars, which are copied. Ints that are too large for the session are an error; floats are
 * rounded to its width. */
NESL_API nesl_error* nesl_array(nesl_session* session, nesl_element element, const void* data, size_t length,
                                nesl_value** value);
/* The same, but the elements are used where they are, and must stay there unchanged until `release` (which may be NULL)
 * is called with `owner`: once, on any thread, when no value needs them any more. If they cannot be used there, they
 * are copied, and `release` is called before this returns: where the session's ints or floats have another width, for
 * chars, for bools other than 0 and 1, for up to 65 elements, and on a device. After an error it is not called. */
NESL_API nesl_error* nesl_borrow(nesl_session* session, nesl_element element, const void* data, size_t length,
                                 void (*release)(void* owner), void* owner, nesl_value** value);
/* Of a sequence, the sequence of its parts: part k has the elements from offsets[k] to offsets[k + 1], for k < length.
 * There are length + 1 offsets, from 0 to the number of elements. To be used once for each level of nesting, beginning
 * with the innermost. */
NESL_API nesl_error* nesl_nest(const nesl_value* elements, const int64_t* offsets, size_t length, nesl_value** value);
/* (a, b, ...) of two or more values. */
NESL_API nesl_error* nesl_tuple(nesl_value* const* parts, size_t count, nesl_value** value);
/* [(a, b, ...)] of two or more sequences of one length. */
NESL_API nesl_error* nesl_zip(nesl_value* const* parts, size_t count, nesl_value** value);
/* The same value as one of another type with the same contents: a tuple as a datatype, "point", sequences of them,
 * "[point]", and back. */
NESL_API nesl_error* nesl_as(const nesl_value* value, const char* type, nesl_value** result);
NESL_API void nesl_value_free(nesl_value* value);

/* --- reading values --------------------------------------------------------------------------------------------- */

typedef enum {
  NESL_KIND_NONE = 0, /* no value */
  NESL_KIND_INT = 1,
  NESL_KIND_FLOAT = 2,
  NESL_KIND_BOOL = 3,
  NESL_KIND_CHAR = 4,
  NESL_KIND_SEQUENCE = 5,
  NESL_KIND_TUPLE = 6,
  NESL_KIND_RECORD = 7, /* of a datatype */
  NESL_KIND_FUNCTION = 8
} nesl_kind;

NESL_API nesl_kind nesl_value_kind(const nesl_value* value);
/* As NESL writes it; NULL if there is no such value. Valid, as everything that follows, until the value is freed. */
NESL_API const char* nesl_value_type(const nesl_value* value);
/* The value as the nesl command prints it, sequences cut after 100 elements. */
NESL_API nesl_error* nesl_value_text(const nesl_value* value, const char** text);

NESL_API nesl_error* nesl_get_int(const nesl_value* value, int64_t* number);
NESL_API nesl_error* nesl_get_float(const nesl_value* value, double* number);
NESL_API nesl_error* nesl_get_bool(const nesl_value* value, int* truth);
NESL_API nesl_error* nesl_get_char(const nesl_value* value, unsigned char* character);

/* The number of elements of a sequence. */
NESL_API nesl_error* nesl_length(const nesl_value* value, size_t* length);
/* The elements of a sequence of scalars, where they are if they are such elements, and converted if the session's ints
 * or floats have another width, or they are chars. */
NESL_API nesl_error* nesl_data(const nesl_value* value, nesl_element element, const void** data, size_t* length);
/* Of a sequence of sequences: the offsets, as for nesl_nest(), of `length` parts. */
NESL_API nesl_error* nesl_offsets(const nesl_value* value, const int64_t** offsets, size_t* length);
/* Of a sequence of sequences: their elements, one behind the other, as one sequence. */
NESL_API nesl_error* nesl_elements(const nesl_value* value, nesl_value** elements);
/* Part number `part`, from 0 on, of a tuple or a record; of a sequence of those, the sequence of these parts.
 * (a, (b, c)) is the same as (a, b, c), and has three parts. A record has a part for each field. */
NESL_API nesl_error* nesl_part(const nesl_value* value, size_t part, nesl_value** result);
/* How many there are; 0 for any other value. */
NESL_API size_t nesl_parts(const nesl_value* value);

#ifdef __cplusplus
}
#endif

#endif
