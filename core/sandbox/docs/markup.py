"""Documents as Markdown and as HTML."""

from html import escape

from core.sandbox.docs.blocks import INDENT, Block, Grid, Paragraph, Run, Tabs
from core.sandbox.docs.bullets import ordered


def to_markdown(_: str, tabs: Tabs) -> bytes:
    """Markdown."""
    parts: list[str] = []
    for title, blocks in tabs:
        parts += [f"# {title}"] if title else []
        listed = False
        for block in blocks:
            text = markdown_block(block)
            now = isinstance(block, Paragraph) and bool(block.preset)
            if listed and now:
                parts[-1] += f"\n{text}"
            elif text:
                parts.append(text)
            listed = now
    return ("\n\n".join(parts) + "\n").encode()


def markdown_block(block: Block) -> str:
    """A block in Markdown."""
    if isinstance(block, Grid):
        rows = [[cell.replace("\n", "<br>").replace("|", "\\|") for cell in row] for row in block.texts]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])
    text = "".join(markdown_run(run) for run in block.runs).replace("\v", "  \n")
    if block.preset:
        return f"{INDENT * block.level}{'1.' if ordered(block.preset) else '*'} {text}"
    level = block.heading or (1 if block.named == "TITLE" else 0)
    return f"{'#' * level} {text}" if level and text else text


def markdown_run(run: Run) -> str:
    """A run in Markdown."""
    text = run.text
    if not text.strip():
        return text
    if run.style.get("italic"):
        text = f"*{text}*"
    if run.style.get("bold"):
        text = f"**{text}**"
    url = address_of(run)
    return f"[{text}]({url})" if url else text


def address_of(run: Run) -> str:
    """Where a run leads to."""
    element = run.element or {}
    if "person" in element:
        return f"mailto:{element['person']['personProperties']['email']}"
    if "richLink" in element:
        return str(element["richLink"]["richLinkProperties"]["uri"])
    return str(run.style.get("link", {}).get("url", ""))


def to_html(title: str, tabs: Tabs) -> bytes:
    """One HTML page."""
    body = "".join(
        (f"<h1>{escape(name)}</h1>" if name else "") + "".join(map(html_block, blocks)) for name, blocks in tabs
    )
    head = f'<meta content="text/html; charset=UTF-8" http-equiv="content-type"><title>{escape(title)}</title>'
    return f"<html><head>{head}</head><body>{body}</body></html>".encode()


def html_block(block: Block) -> str:
    """A block in HTML; an item of a list stands in a list of its own, as far in as its level."""
    if isinstance(block, Grid):
        rows = ("".join(f"<td>{''.join(map(html_block, cell))}</td>" for cell in row) for row in block.rows)
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    text = "".join(map(html_run, block.runs)).replace("\v", "<br>")
    if block.preset:
        name = "ol" if ordered(block.preset) else "ul"
        return f'<{name} style="margin-left:{36 * block.level}pt"><li>{text}</li></{name}>'
    name = f"h{block.heading}" if block.heading else {"TITLE": "h1"}.get(block.named, "p")
    return f"<{name}>{text}</{name}>"


def html_run(run: Run) -> str:
    """A run in HTML."""
    text, url = escape(run.text), address_of(run)
    for name, tag in (("bold", "b"), ("italic", "i"), ("underline", "u"), ("strikethrough", "s")):
        text = f"<{tag}>{text}</{tag}>" if run.style.get(name) and not (url and tag == "u") else text
    return f'<a href="{escape(url)}">{text}</a>' if url else text
