"""The share of each price in its order, as an expression of Polars."""

import polars

import nesl.polars

orders = polars.DataFrame({"customer": ["Ada", "Ben", "Cleo"], "prices": [[2.0, 6.0], [], [5.0]]})
shares = nesl.polars.each("let total = sum(order) in {price / total : price in order}", order="prices")
print(orders.with_columns(shares=shares).rows())
