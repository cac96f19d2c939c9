"""The gate before every tool: a write runs only after a person's yes, as it was approved, and once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult

from core.agents.context import TurnContext
from core.errors import GlassdeskError
from core.mcp_server.calls import failed, text_of, unknown_outcome
from core.registry.manifests import Approval as Asks
from core.registry.manifests import Catalogue
from core.store.approvals import CHECK, Approvals, Ending

Call = Callable[[dict[str, Any]], Awaitable[CallToolResult]]
EDITED = "The person changed this before approving it; what was done is: {arguments}. Result: "
RESULT_LENGTH = 2000


@dataclass(frozen=True)
class Gate:
    """Decides by manifest and by the user's policy; what is not known to read is asked about.

    Attributes:
        catalogue: what each tool says about itself.
        approvals: what was asked, decided and done.
    """

    catalogue: Catalogue
    approvals: Approvals

    def asks(self, user_id: str, tool: str) -> bool:
        """Whether a person must say yes to this tool first. Blocks for a read of the database where it writes."""
        manifest = next((known for _, known in self.catalogue.tools() if known.name == tool), None)
        if manifest is None:
            return True
        if manifest.reads:
            return False
        policy = self.approvals.policies(user_id).get(tool, manifest.approval)
        return manifest.approval is Asks.ALWAYS_ASK or policy != Asks.NONE

    async def passes(
        self, who: TurnContext, call_id: str, tool: str, arguments: Mapping[str, Any], call: Call
    ) -> CallToolResult:
        """Make a call, if it may be made.

        Returns:
            Its result, or why it was not made; a call whose outcome is not known is kept as such and never repeated.
        """
        if not await asyncio.to_thread(self.asks, who.user_id, tool):
            return await call(dict(arguments))
        try:
            claimed = await asyncio.to_thread(self.approvals.claim, who.turn_id, call_id, arguments)
        except GlassdeskError as error:
            return failed(error.sentence)
        ending: Ending = "unknown"
        result = failed(CHECK)
        try:
            result = await call(claimed.arguments)
            ending = ending_of(result)
        finally:
            await asyncio.shield(
                asyncio.to_thread(self.approvals.finish, claimed.id, ending, text_of(result)[:RESULT_LENGTH])
            )
        return result


def ending_of(result: CallToolResult) -> Ending:
    """What came of a call."""
    if unknown_outcome(result):
        return "unknown"
    return "failed" if result.is_error else "done"
