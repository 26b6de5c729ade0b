#pragma once

#include <vector>

#include "expression_facts.h"
#include "nesl-compiler/slow_idiom.h"

namespace nesl {

/// Finds the expressions of a program that have the form of a slow idiom: the library or another form of expression
/// computes the same with less work. kIdioms in slow_idioms.cpp is the list of idioms. Looks at the values of the
/// statements, and at all functions outside of the library that these reach; in the order of the texts.
std::vector<SlowIdiom> find_slow_idioms(const std::vector<const GlobalStatement*>& statements, ExpressionFacts& facts);

}  // namespace nesl
