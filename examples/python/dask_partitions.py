"""The share of each price in its order, in the partitions of a frame of Dask."""

import dask.dataframe
import pandas
import pyarrow

import nesl.dask

prices = pandas.Series([[2.0, 6.0], [], [5.0]], dtype=pandas.ArrowDtype(pyarrow.list_(pyarrow.float64())))
orders = dask.dataframe.from_pandas(pandas.DataFrame({"customer": ["Ada", "Ben", "Cleo"], "prices": prices}), npartitions=2)
orders["shares"] = nesl.dask.each(orders, "let total = sum(order) in {price / total : price in order}", order="prices")
print(orders["shares"].compute().to_list())
