"""NESL functions as scalar functions of DuckDB, where it is installed."""

import pytest

import nesl


@pytest.fixture
def connection():
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow", minversion="14")
    with duckdb.connect() as connection:
        connection.execute("create table t as select * from (values ([1.0, 2.0], 1.0, 'a', 0), ([], 2.0, 'bc', -1), ([4.0], 0.5, '', 0)) "
                           "t(numbers, weight, name, place)")
        yield connection


def test_scalar_functions(connection):
    import nesl.duckdb

    def column(expression):
        return [row[0] for row in connection.execute(f"select {expression} from t").fetchall()]

    nesl.duckdb.each(connection, "scaled", "{x * w : x in row}", row="[float]", w="float")
    assert column("scaled(numbers, weight)") == [[1.0, 2.0], [], [2.0]]
    nesl.duckdb.each(connection, "size", "#row", row="[float]")
    assert column("size(numbers)") == [2, 0, 1]
    assert connection.execute("select typeof(size(numbers)), typeof(scaled(numbers, 1)) from t limit 1").fetchall() == [("BIGINT", "DOUBLE[]")]
    nesl.duckdb.each(connection, "twice", "name ++ name", name="[char]")
    assert column("twice(name)") == ["aa", "bcbc", ""]
    nesl.duckdb.each(connection, "facts", "(#row, w > 0.7)", row="[float]", w="float")
    assert column("facts(numbers, weight)") == [{"0": 2, "1": True}, {"0": 0, "1": True}, {"0": 1, "1": False}]
    nesl.duckdb.each(connection, "rows", "{sort(row) : row in rows}", rows="[[int]]")
    assert column("rows([[3, 1, place], [2]])")[1] == [[-1, 1, 3], [2]]
    nesl.duckdb.call(connection, "double", nesl.define("function double(w) = {2.0 * x : x in w}").double, "float")
    assert connection.execute("select sum(double(i)) from range(100000) t(i)").fetchall() == [(9999900000.0,)]
    assert column("scaled(numbers, case when place = 0 then weight end)") == [[1.0, 2.0], None, [2.0]]


def test_errors(connection):
    import nesl.duckdb

    nesl.duckdb.each(connection, "chosen", "row[p]", row="[float]", p="int")
    with pytest.raises(Exception, match="index -1"):
        connection.execute("select chosen(numbers, place) from t").fetchall()
    with pytest.raises(Exception, match="is null"):
        connection.execute("select chosen([1.0, null], place) from t").fetchall()
    with pytest.raises(nesl.TextError, match="undefined"):
        nesl.duckdb.each(connection, "wrong", "rwo", row="[float]")
    with pytest.raises(nesl.TextError, match="flaot"):
        nesl.duckdb.each(connection, "wrong", "row", row="flaot")
    with pytest.raises(nesl.ArgumentError, match="must return a sequence"):
        nesl.duckdb.call(connection, "wrong", nesl.define("function g(w) = sum(w)").g, "float")
    nesl.duckdb.call(connection, "short", nesl.define("function g(w) = [sum(w)]").g, "float")
    with pytest.raises(Exception, match="an element for each row, but returns 1 for 3 rows"):
        connection.execute("select short(weight) from t").fetchall()
