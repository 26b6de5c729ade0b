"""The share of each price in its order, by a function of SQL."""

import duckdb

import nesl.duckdb

connection = duckdb.connect()
nesl.duckdb.each(connection, "shares", "let total = sum(prices) in {price / total : price in prices}", prices="[float]")
connection.execute("create table orders as select * from (values ('Ada', [2.0, 6.0]), ('Ben', []), ('Cleo', [5.0])) t(customer, prices)")
print(connection.execute("select customer, shares(prices) from orders order by customer").fetchall())
