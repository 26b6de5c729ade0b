"""A Sphinx extension: links from the documentation to sources lead to pages that show them, as they do where a repository is browsed."""

import html
from pathlib import Path
from urllib.parse import unquote

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename, guess_lexer
from pygments.lexers.c_cpp import CppLexer
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.environment.adapters.toctree import global_toctree_for_doc
from sphinx.highlighting import lexer_classes

LARGEST = 200_000  # bytes of a file that are shown
CPP = (".h", ".def", ".cu")


def link_sources(app, doctree):
    """Replaces the nodes that MyST makes of links to files and folders which are no pages, and remembers these."""
    root = Path(app.srcdir)
    folder = (root / app.env.docname).parent
    for node in [*doctree.findall(addnodes.download_reference), *doctree.findall(addnodes.pending_xref)]:
        target = unquote(node["reftarget"]).split("#")[0]
        path = (folder / target).resolve()
        if not target or not path.is_relative_to(root) or not path.exists() or path.suffix == ".md":
            continue
        path = path.relative_to(root)
        if (root / path / "README.md").is_file():
            uri = app.builder.get_relative_uri(app.env.docname, f"{path}/README")
        else:
            app.env.source_pages.add(path)
            uri = app.builder.get_relative_uri(app.env.docname, f"source/{path}")
        node.replace_self(nodes.reference("", "", *node.children, internal=True, refuri=uri))


def lexer_of(path, text):
    if path.suffix in CPP:
        return CppLexer()
    if path.suffix[1:] in lexer_classes:  # our own: nesl, vcode
        return lexer_classes[path.suffix[1:]]()
    try:
        return get_lexer_for_filename(path.name)
    except ClassNotFound:
        return guess_lexer(text) if text.startswith("#!") else TextLexer()


def page_of_file(root, path):
    text = (root / path).read_bytes()[:LARGEST].decode("utf-8", "replace")
    return highlight(text, lexer_of(path, text), HtmlFormatter(linenos="inline"))


def page_of_folder(app, path, shown):
    entries = sorted((app.srcdir / path).iterdir(), key=lambda entry: (entry.is_file(), entry.name))
    here = f"source/{path}"
    items = []
    for entry in entries:
        name = html.escape(entry.name + ("/" if entry.is_dir() else ""))
        inside = path / entry.name
        if inside in shown:
            name = f'<a href="{app.builder.get_relative_uri(here, f"source/{inside}")}">{name}</a>'
        items.append(f"<li><code>{name}</code></li>")
    return f"<ul>{''.join(items)}</ul>"


def make_pages(app):
    root = Path(app.srcdir)
    folders = {path for path in app.env.source_pages if (root / path).is_dir()}
    files = app.env.source_pages - folders
    for folder in folders:
        files |= {file.relative_to(root) for file in (root / folder).iterdir() if file.is_file()}
    shown = files | folders
    # Made once, since it takes longer than all else; links in it begin at the root.
    toctree = global_toctree_for_doc(
        app.env, app.config.root_doc, app.builder, tags=app.tags, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
    )
    navigation = app.builder.render_partial(toctree)["fragment"]
    for path in sorted(shown):
        body = page_of_folder(app, path, shown) if path in folders else page_of_file(root, path)
        title = html.escape(str(path))
        links = navigation.replace('href="', 'href="' + "../" * len(path.parts))
        context = {"title": title, "body": f"<h1>{title}</h1>{body}", "toctree": lambda links=links, **options: links}
        yield f"source/{path}", context, "page.html"


def begin(app):
    app.env.source_pages = set()


def setup(app):
    app.connect("builder-inited", begin)
    app.connect("doctree-read", link_sources, priority=100)
    app.connect("html-collect-pages", make_pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
