"""The Jupyter kernel: notebooks are executed by nbclient, and requests sent by jupyter_client."""

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nesl

pytest.importorskip("ipykernel")
manager = pytest.importorskip("jupyter_client.manager")
nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
NOTEBOOK = Path(__file__).parents[2] / "examples" / "python" / "kernel.ipynb"
PATIENCE = 120  # seconds


def kernel_command(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "nesl.kernel", *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **environment})


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory):
    """The kernel, installed where the tests alone look for it, by the command of the manual."""
    folder = tmp_path_factory.mktemp("prefix")
    run = kernel_command("install", "--prefix", str(folder))
    assert run.returncode == 0, run.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder / "share" / "jupyter"))
        patch.setenv("IPYTHONDIR", str(folder))
        patch.setenv("PYTHONWARNINGS", "ignore")
        yield folder


class Client:
    """A kernel, and what its frontend sees."""

    def __init__(self, folder):
        self.manager, self.client = manager.start_new_kernel(kernel_name="nesl", cwd=str(folder), startup_timeout=PATIENCE)

    def outputs(self, request):
        """The messages that a request causes, and its reply."""
        seen = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
            seen.append((message["msg_type"], message["content"]))
        return seen, self.client.get_shell_msg(timeout=PATIENCE)["content"]

    def run(self, cell, **options):
        """The outputs of a cell: text, or ("stdout", text), or the MIME types and data."""
        seen, reply = self.outputs(self.client.execute(cell, **options))
        found = []
        for kind, content in seen:
            if kind == "execute_result":
                found.append(content["data"]["text/plain"] if len(content["data"]) == 1 else content["data"])
            elif kind == "stream" and found and found[-1][0] == content["name"]:
                found[-1] = (content["name"], found[-1][1] + content["text"])
            elif kind == "stream":
                found.append((content["name"], content["text"]))
            elif kind == "error":
                found.append((content["ename"], "\n".join(content["traceback"])))
        assert (reply["status"] == "error") == any(kind == "error" for kind, _ in seen)
        return found

    def reply(self, request):
        while True:
            message = self.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"]["msg_id"] == request:
                return message["content"]


@pytest.fixture(scope="module")
def kernel(installed, tmp_path_factory):
    client = Client(tmp_path_factory.mktemp("kernel"))
    yield client
    client.client.stop_channels()
    client.manager.shutdown_kernel(now=True)


def test_cells_have_several_statements(kernel):
    assert kernel.run("function sq(a) = {x * x : x in a};\nsq([1, 2, 3]); n = 3; % end %") == ["[1, 4, 9] : [int]"]
    assert kernel.run("sum(sq([n]));\n1 +\n1") == ["9 : int", "2 : int"]
    for cell in ("", "  % nothing %  ", "datatype pixel(int, int)", "n = 4", ";"):
        assert kernel.run(cell) == []
    assert kernel.run("it + n") == ["6 : int"]


def test_output_of_programs_is_in_order(kernel):
    assert kernel.run('print_line("häl"); 5; print_string("lo")') == [
        ("stdout", "häl\n"), "T : bool", "5 : int", ("stdout", "lo"), "T : bool"]


def test_output_of_both_descriptors():
    from nesl.kernel.program_output import ProgramOutput

    found = []
    with ProgramOutput(lambda name, text: found.append((name, text))) as output:
        os.write(2, "é".encode()[:1])
        output.drain()
        os.write(2, "é".encode()[1:] + b"\xff")
        os.write(1, b"x")
        output.drain()
        assert sorted(found) == [("stderr", "é\\xff"), ("stdout", "x")]
        os.write(1, b"last")
    assert found[-1] == ("stdout", "last")


def test_long_output_is_complete(kernel):
    (name, text), result = kernel.run('print_string({`x : i in [0:1000000]})')
    assert (name, text, result) == ("stdout", "x" * 1_000_000, "T : bool")


def test_silent_cells(kernel):
    assert kernel.run('z = 8; z; print_line("no")', silent=True) == []
    assert kernel.run("z") == ["8 : int"]


def test_sequences_of_records_are_tables(kernel):
    shown = kernel.run('datatype point(x : float, name : [char]);\n[point(1.5, "a<b"), point(-2.0E-9, "")]')[0]
    assert shown["text/plain"] == '[point(1.5, "a<b"), point(-2.0E-9, "")] : [point]'
    html = shown["text/html"]
    assert html.count("<tr>") == 3 and ">x<div" in html and ">name<div" in html and ">[char]</div>" in html
    assert "&quot;a&lt;b&quot;</td>" in html and ">-2.0E-9</td>" in html and "2 rows : [point]" in html
    assert ">name<div" in kernel.run('point(1.0, "one")')[0]["text/html"]


def test_sequences_of_tuples_are_tables(kernel):
    html = kernel.run('[(1, (T, `c), [2.5, 3.0], [(1, "x")], ["s"])]')[0]["text/html"]
    for cell in ("1", "(T, `c)", "[2.5, 3.0]", "[(1, &quot;x&quot;)]", "[&quot;s&quot;]"):
        assert f">{cell}</td>" in html
    assert "1 row : [(int, (bool, char), [float], [(int, [char])], [[char]])]" in html


def test_jagged_rows_are_tables(kernel):
    html = kernel.run("[[3, 1], [], [2]]")[0]["text/html"]
    assert ">3</td>" in html and ">empty</td>" in html and "3 rows : [[int]]" in html
    assert ">[1, 2]</td>" in kernel.run("[[[1, 2], [3]], [[4]]]")[0]["text/html"]
    assert kernel.run('["ab", "c"]') == ['["ab", "c"] : [[char]]']
    assert kernel.run("(1, 2)") == ["(1, 2) : (int, int)"]


def test_large_values_are_cut(kernel):
    html = kernel.run("{[0:i] : i in [0:1000]}")[0]["text/html"]
    assert html.count("<tr>") == 100 and ">79 more</td>" in html and "1,000 rows : [[int]]; the first 100 are shown" in html
    begin = time.monotonic()
    html = kernel.run("{(i, {`y : j in [0:150]}) : i in [0:20000]}")[0]["text/html"]
    assert html.count("<tr>") == 101 and "20,000 rows" in html and "and 50 more characters" in html
    html = kernel.run("{([0:50], i) : i in [0:3]}")[0]["text/html"]
    assert "18, 19,...]</td>" in html
    assert time.monotonic() - begin < PATIENCE


def test_empty_sequences(kernel):
    assert "0 rows : [(int, float)]" in kernel.run("[] (int, float)")[0]["text/html"]
    assert "0 rows : [[int]]" in kernel.run("[] [int]")[0]["text/html"]
    assert kernel.run("[] int") == ["[] : [int]"]


def test_plots_are_shown(kernel):
    svg = kernel.run('plot([1, 4, 9], ("squares", "x", "y"), "a.svg");')[0]
    assert "<svg" in svg["image/svg+xml"] and svg["text/plain"] == 'picture("a.svg") : picture'
    two = kernel.run('scatter([(1.0, 2.0)], ("", "", ""), "b.png"); write_image([[0, 255], [255, 0]], "c.png")')
    assert len(two) == 2 and all(base64.b64decode(shown["image/png"])[:4] == b"\x89PNG" for shown in two)
    assert kernel.run('picture("missing.png")') == ['picture("missing.png") : picture']


def test_errors_have_carets(kernel):
    (name, report), = kernel.run("x = 5;\ny = [1, 2][x]; z = 6;")
    assert name == "RunError"
    lines = report.split("\n")
    assert lines[0].startswith("<cell ") and ":2:5: run-time error" in lines[0]
    assert lines[1:4] == ["  y = [1, 2][x]; z = 6;", "      ^", "  index 5, but the sequence has length 2"]
    (name, report), = kernel.run("x = 7; y = ;")
    assert name == "TextError" and "^" in report
    assert kernel.run("x") == ["5 : int"]  # a cell with an error of syntax computes nothing
    assert kernel.run('1; error("stop"); 2')[0] == "1 : int"
    assert kernel.run("unknown + 1")[0][1].split("\n")[1:3] == ["  unknown + 1;", "  ^~~~~~~"]
    assert "code 0" in kernel.run('"a\0b"')[0][1]
    assert kernel.run("sort")[0] == ("ArgumentError", "the value is a function, which cannot be read outside of NESL")


def test_cells_after_an_error_are_not_run(kernel):
    first = kernel.client.execute("[1][3]")
    second = kernel.client.execute("after_error = 1")
    assert kernel.reply(first)["status"] == "error"
    assert kernel.reply(second)["status"] in ("aborted", "error")
    assert kernel.run("after_error")[0][0] == "TextError"


def test_an_interrupt_stops_a_run_and_the_session_survives(kernel):
    kernel.run("kept = 11; function forever(n) = if n == -1 then 0 else forever(n + 1)")
    for _ in range(3):
        request = kernel.client.execute('print_line("running"); forever(0)')
        while True:
            message = kernel.client.get_iopub_msg(timeout=PATIENCE)
            if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == request:
                break
        kernel.manager.interrupt_kernel()
        time.sleep(0.01)
        kernel.manager.interrupt_kernel()  # as by an impatient user
        seen, reply = kernel.outputs(request)
        assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
        assert seen[-1][0] == "error" and "interrupted" in seen[-1][1]["traceback"][0]
        assert kernel.run('kept; print_line("ready")') == ["11 : int", ("stdout", "ready\n"), "T : bool"]


def test_interrupts_between_cells_do_nothing(kernel):
    kernel.manager.interrupt_kernel()
    assert kernel.run("2 * 3") == ["6 : int"]


def test_programs_find_no_input(kernel):
    assert kernel.run("read_line(stdin)") == ['(("", T), T, "") : (([char], bool), bool, [char])']


def complete(kernel, code, cursor=None):
    content = kernel.reply(kernel.client.complete(code, len(code) if cursor is None else cursor))
    assert content["status"] == "ok"
    return content["matches"], content["cursor_start"], content["cursor_end"]


def test_completion(kernel):
    kernel.run("function my_function(x) = x; my_value = 3;")
    assert complete(kernel, "1 + my_") == (["my_function", "my_value"], 4, 7)
    assert complete(kernel, "ä + plus_sc") == (["plus_scan"], 4, 11)
    assert complete(kernel, "MY_F(1)", 4) == (["my_function"], 0, 4)
    assert complete(kernel, "%ti") == (["time"], 1, 3)
    assert complete(kernel, ":pro") == (["profile"], 1, 4)
    assert "datatype" in complete(kernel, "data")[0]
    assert complete(kernel, "function f2(local_name) = loc") == (["local_name"], 26, 29)
    assert complete(kernel, "1 + ")[0] == []
    assert complete(kernel, "zzzz")[0] == []


def inspect(kernel, code, cursor):
    content = kernel.reply(kernel.client.inspect(code, cursor))
    assert content["status"] == "ok" and content["found"] == bool(content["data"])
    return content["data"].get("text/plain", "")


def test_inspection(kernel):
    kernel.run('function doubled(x) "Two times x." = x + x; number = 3;')
    assert inspect(kernel, "doubled(3)", 2) == "doubled : a -> a :: (a in number)\n  Two times x."
    assert inspect(kernel, "Doubled(number + ", 17).startswith("doubled : ")
    assert inspect(kernel, "doubled(sort(x), ", 17).startswith("doubled : ")
    assert inspect(kernel, "number", 6).startswith("number : int")
    assert inspect(kernel, "if", 1).startswith("if : (bool, a, a) -> a")
    assert inspect(kernel, "1 + 2", 3).startswith("+ : ")
    assert inspect(kernel, "unknown_name", 3) == ""
    assert inspect(kernel, "", 0) == ""


def test_whether_a_cell_is_complete(kernel):
    for code, status in (("1 + 2", "complete"), ("1 +", "incomplete"), ("function h(x) = x", "incomplete"), ("", "complete"),
                         ("function h(x) = x\n", "complete"), ("function h(x) = x;", "complete"), ("[1,\n", "incomplete"), ("%help", "complete")):
        assert kernel.reply(kernel.client.is_complete(code))["status"] == status, code


def test_commands(kernel, tmp_path):
    assert kernel.run("%type [1.5]") == ["it : [float]"]
    assert kernel.run(":type [1.5]") == ["it : [float]"]
    assert kernel.run("%doc sum")[0].startswith("sum : [a] -> a")
    assert kernel.run("describe sum;") == kernel.run("%describe Sum") == kernel.run("%help sum") == kernel.run("%doc sum")
    assert any(line.startswith("sort_by : ") for line in kernel.run("%apropos sort")[0].split("\n"))
    assert kernel.run("%apropos xyzzy") == ["nothing has to do with xyzzy"]
    assert "kernel" in kernel.run("%explain sum({x * x : x in [0:9]})")[0]
    assert "FUNC MAIN" in kernel.run("%vcode\nw = [1] ++ [2]")[0]
    values = kernel.run("%%time 1 + 1;\n5")
    assert values[:2] == ["2 : int", "5 : int"] and values[2].endswith("with the time to compile")
    assert kernel.run("%profile sum([0:1000])")[-1].startswith("line")
    (tmp_path / "functions.nesl").write_text("function loaded(x) = x + 100;")
    assert kernel.run(f'%load "{tmp_path}/functions.nesl"\nloaded(1)') == ["101 : int"]
    assert "%profile STATEMENTS" in kernel.run("%help")[0]
    first, second = (kernel.run(f"%set seed {seed}\n{{rand(1000000) : i in [0:3]}}") for seed in (5, 6))
    assert first != second and kernel.run("%set seed 5\n{rand(1000000) : i in [0:3]}") == first


def test_comments_are_no_commands(kernel):
    assert kernel.run("%time is money% 3") == ["3 : int"]
    assert kernel.run("% type % 4") == ["4 : int"]
    assert kernel.run("%unknown but closed% 5") == ["5 : int"]
    assert kernel.run("%type 1 % an int %") == ["it : int"]


def test_commands_with_errors(kernel):
    assert kernel.run("%unknown 5")[0][0] == "TextError" and "%help lists all" in kernel.run("%unknown 5")[0][1]
    assert "needs a name" in kernel.run("%doc")[0][1]
    assert "needs one name" in kernel.run("%doc a b")[0][1]
    assert "missing is undefined" in kernel.run("%doc missing")[0][1]
    assert "%set seed NUMBER" in kernel.run("%set backend cuda")[0][1]
    assert "no-such-file" in kernel.run("%load no-such-file.nesl")[0][1]
    (name, report), = kernel.run("\n%time [1][5]")
    assert name == "RunError" and ":2:7: run-time error" in report
    assert "only an expression or assignment" in kernel.run("%vcode function h(x) = x")[0][1]


def test_the_specification(installed):
    written = json.loads((installed / "share" / "jupyter" / "kernels" / "nesl" / "kernel.json").read_text())
    assert written["argv"] == [sys.executable, "-m", "nesl.kernel", "-f", "{connection_file}"]
    assert (written["language"], written["display_name"]) == ("nesl", "NESL")
    unwritable = kernel_command("install", "--prefix", "/proc/nowhere")
    assert unwritable.returncode == 1 and unwritable.stderr.startswith("the kernel cannot be installed: ")
    assert kernel_command("install", "--user", "--prefix", "x").returncode == 2


def test_installation_for_the_user(tmp_path):
    run = kernel_command("install", "--user", JUPYTER_DATA_DIR=str(tmp_path))
    assert run.returncode == 0 and (tmp_path / "kernels" / "nesl" / "kernel.json").is_file(), run.stderr


def test_a_missing_package_is_named(tmp_path):
    (tmp_path / "ipykernel.py").write_text("raise ModuleNotFoundError(\"No module named 'ipykernel'\", name='ipykernel')")
    run = kernel_command("-f", "x", PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    assert run.returncode == 1 and run.stderr == "the kernel needs ipykernel: pip install 'nesl[jupyter]'\n"


def test_kernel_info(kernel):
    content = kernel.reply(kernel.client.kernel_info())
    assert content["language_info"]["name"] == "nesl" and content["implementation_version"] == nesl.__version__
    assert content["language_info"]["pygments_lexer"] == "nesl"


def test_the_example(installed, tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert notebook.metadata.kernelspec.name == "nesl"
    nbclient.NotebookClient(notebook, timeout=PATIENCE, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = {kind for output in outputs if output.output_type == "execute_result" for kind in output.data}
    assert {"text/plain", "text/html", "image/svg+xml"} <= kinds
    assert all(output.output_type != "error" for output in outputs)


def test_nbclient_sees_errors(installed):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("[1, 2][7]")])
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="index 7, but the sequence has length 2"):
        nbclient.NotebookClient(notebook, kernel_name="nesl", timeout=PATIENCE).execute()
