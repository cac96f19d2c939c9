"""What an outside server's tool returned, made fit for a model: text of bounded length, and nothing else."""

from mcp_types import CallToolResult, ContentBlock, EmbeddedResource, ResourceLink, TextContent, TextResourceContents

from core.servers.definitions import visible

LONGEST = 50_000
"""Characters of a result."""
MOST_PARTS = 100
CUT = "\n[Cut: {left:,} of {size:,} characters are left out.]"
OTHER = "[{kind}, which is not shown here]"
EMPTY = "[The tool returned nothing.]"


def shaped(result: CallToolResult, longest: int = LONGEST) -> CallToolResult:
    """The result's text, cut where it is too long; a cut is marked with its size."""
    parts = [in_words(part) for part in result.content[:MOST_PARTS]]
    if len(result.content) > MOST_PARTS:
        parts.append(OTHER.format(kind=f"{len(result.content) - MOST_PARTS} further parts"))
    if not parts and result.structured_content is not None:
        parts = [str(result.structured_content)]
    text = "\n".join(parts) or EMPTY
    if len(text) > longest:
        text = text[:longest] + CUT.format(left=len(text) - longest, size=len(text))
    text = "".join(char for char in text if visible(char))
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=result.is_error)


def in_words(part: ContentBlock) -> str:
    """One part."""
    if isinstance(part, TextContent):
        return part.text
    if isinstance(part, EmbeddedResource) and isinstance(part.resource, TextResourceContents):
        return part.resource.text
    if isinstance(part, ResourceLink):
        return f"[Link: {part.name} {part.uri}]"
    return OTHER.format(kind=part.type.replace("_", " "))
