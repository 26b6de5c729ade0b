"""The share of each price in its order, as a column of an Arrow table."""

import pyarrow

import nesl.arrow

orders = pyarrow.table({"customer": ["Ada", "Ben", "Cleo"], "prices": [[2.0, 6.0], [], [5.0]]})
shares = nesl.arrow.each(orders, "let total = sum(order) in {price / total : price in order}", order="prices")
print(orders.append_column("shares", shares).to_pylist())
