"""The gate before every tool: a write runs only after a person's yes, as it was approved, and once."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, TextContent

from core.errors import BadInput, GlassdeskError, NotAllowed
from core.google.needs import ConnectNeeded
from core.mcp_server.calls import failed, text_of
from core.mcp_server.client import Call
from core.mcp_server.guard import Permits, anybody, offered
from core.mcp_server.meta import OUTCOME, Caller
from core.registry.manifests import Approval as Asks
from core.registry.manifests import Catalogue
from core.runtime.remains import DONE_BEFORE, Remains
from core.runtime.summaries import summary_of
from core.store.approvals import CHECK, Approvals, Asked, Ending
from core.store.switches import Off, nothing
from core.store.tables import Approval
from core.users import READ_ONLY

EDITED = "The person changed this before approving it. What was done is: {arguments}"
OFF = "The person has switched off this tool, so it was not called. It can be switched on on the page Agents."
NOT_MADE = "The answer was stopped before this was done."
BEYOND = (
    "This would delete something, which is never done without asking, and the person allowed this tool without asking. "
    "It was not done. They can set the tool to “Ask each time” in Settings and ask again."
)
RESULT_LENGTH = 2000


def may_write(user_id: str) -> bool:
    """Nobody is in read-only mode."""
    return False


@dataclass(frozen=True)
class Gate:
    """Decides by manifest and by the user's policy; what is not known to read is asked about.

    Attributes:
        catalogue: what each tool says about itself.
        approvals: what was asked, decided and done.
        remains: what was done for the questions that are asked again.
        wrote: is told of each write that was let through, whatever came of it: user, account, domain.
        off: what a user has switched off, tools of agents included; blocks for a read of the database.
        read_only: whether no write may run for a user, whatever was approved or allowed; blocks likewise.
        permits: raises what keeps a user's account from a tool, so that nobody is asked about what cannot be done.
    """

    catalogue: Catalogue
    approvals: Approvals
    remains: Remains
    wrote: Callable[[str, str, str], object]
    off: Callable[[str], Off] = nothing
    read_only: Callable[[str], bool] = may_write
    permits: Permits = anybody

    def reads(self, tool: str) -> bool:
        """Whether a tool is known to change nothing."""
        return tool in self.catalogue.reads

    def asks(self, user_id: str, account: str, tool: str) -> bool:
        """Whether a person must say yes to this tool first; not where it would be refused all the same.

        Blocks for a read of the database where it writes.
        """
        if not self.reads(tool) and (self.read_only(user_id) or self._lacks(user_id, account, tool) is not None):
            return False
        return self._needs_yes(user_id, tool)

    def open(self, user_id: str, account: str, tool: str) -> bool:
        """Whether a tool may be called now: it is not switched off, and the account has what it needs.

        Blocks for a read of the database.
        """
        return tool not in self.off(user_id).tools and self._lacks(user_id, account, tool) is None

    def _lacks(self, user_id: str, account: str, tool: str) -> ConnectNeeded | None:
        """What the account lacks for a tool."""
        try:
            for _, known in self.catalogue.tools():
                if known.name == tool:
                    self.permits(user_id, account, known)
        except ConnectNeeded as error:
            return error
        except GlassdeskError:  # it cannot be known now; whoever approves hears of it then
            return None
        return None

    def _needs_yes(self, user_id: str, tool: str) -> bool:
        manifest = next((known for _, known in self.catalogue.tools() if known.name == tool), None)
        if manifest is None:
            return True
        if manifest.reads:
            return False
        policy = self.approvals.policies(user_id).get(tool, manifest.approval)
        return manifest.approval is Asks.ALWAYS_ASK or policy != Asks.NONE

    async def passes(self, caller: Caller, tool: str, arguments: Mapping[str, Any], call: Call) -> CallToolResult:
        """Make a call, if it may be made.

        Returns:
            Its result, or why it was not made; a call whose outcome is not known is kept as such and never repeated.
        """
        if self.reads(tool):
            return await call(dict(arguments))
        claim = asyncio.ensure_future(asyncio.to_thread(self._claim, caller, tool, arguments))
        stopped = await seen_through(claim)
        try:
            claimed = claim.result()
        except ConnectNeeded as error:
            return offered(error)
        except GlassdeskError as error:
            return failed(error.sentence)
        if stopped:
            await asyncio.to_thread(self.approvals.finish, claimed.id, "failed", NOT_MADE)
            raise asyncio.CancelledError
        try:
            return told(await self._make(claimed, call), claimed)
        finally:
            self.wrote(caller.user_id, caller.account, self._domain_of(tool))

    async def _make(self, claimed: Approval, call: Call) -> CallToolResult:
        """Make a call that is claimed, and keep what came of it, also where the turn is stopped meanwhile."""
        ending: Ending = "unknown"
        result = failed(CHECK)
        made = asyncio.ensure_future(call(claimed.arguments))
        try:
            stopped = await seen_through(made)
            result = made.result()
            ending = ending_of(result)
        finally:
            await asyncio.shield(
                asyncio.to_thread(self.approvals.finish, claimed.id, ending, text_of(result)[:RESULT_LENGTH])
            )
        if stopped:
            raise asyncio.CancelledError
        return result

    def _claim(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> Approval:
        """Take a write to make it.

        Raises:
            BadInput, NotAllowed: it may not be made.
        """
        known = self.approvals.asked_about(caller.user_id, caller.turn_id, caller.call_id)
        off = tool in self.off(caller.user_id).tools
        if off or self.read_only(caller.user_id):
            sentence = OFF if off else READ_ONLY
            if known:  # it was approved before
                row = self.approvals.claim(caller.user_id, caller.turn_id, caller.call_id, arguments)
                self.approvals.finish(row.id, "failed", sentence)
            raise BadInput(OFF) if off else NotAllowed(READ_ONLY)
        lacks = None if known else self._lacks(caller.user_id, caller.account, tool)
        if lacks is not None:
            raise lacks
        if known or self._needs_yes(caller.user_id, tool):  # the policy may have changed since the person was asked
            return self.approvals.claim(caller.user_id, caller.turn_id, caller.call_id, arguments)
        if not self.catalogue.tool(tool).covered(arguments):
            raise BadInput(BEYOND)
        if self.remains.repeated(caller.user_id, caller.turn_id, tool, arguments):
            raise BadInput(DONE_BEFORE)
        if self.remains.doubtful(caller.user_id, caller.turn_id, tool, arguments):
            raise BadInput(CHECK)
        return self.approvals.allow(self._asked(caller, tool, arguments))

    def _asked(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> Asked:
        exchange = self.remains.conversations.exchange(caller.user_id, caller.turn_id)
        return Asked(
            turn_id=caller.turn_id,
            conversation_id=exchange.conversation_id,
            user_id=caller.user_id,
            account=caller.account,
            call_id=caller.call_id,
            agent=self.catalogue.domains[self._domain_of(tool)].agent.title,
            tool=tool,
            arguments=arguments,
            summary=summary_of(self.catalogue, tool, arguments),
        )

    def _domain_of(self, tool: str) -> str:
        """The domain of a tool; empty where no manifest has it."""
        return next((domain for domain, known in self.catalogue.tools() if known.name == tool), "")


async def seen_through(made: "asyncio.Future[Any]") -> bool:
    """Wait for what cannot be taken back any more; whether that was cancelled meanwhile."""
    stopped = False
    while not made.done():
        try:
            await asyncio.wait([made])
        except asyncio.CancelledError:
            stopped = True
    return stopped


def ending_of(result: CallToolResult) -> Ending:
    """What came of a call."""
    if (result.meta or {}).get(OUTCOME) == "unknown":
        return "unknown"
    return "failed" if result.is_error else "done"


def told(result: CallToolResult, claimed: Approval) -> CallToolResult:
    """The result, and to the model also what the person changed."""
    if claimed.arguments == claimed.proposed:
        return result
    note = EDITED.format(arguments=json.dumps(claimed.arguments, ensure_ascii=False))
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})
