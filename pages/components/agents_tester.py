"""Which tools a question needs: the router's decision with its scores, and what a specialist is shown."""

import streamlit as st

from core.registry.display import Display
from core.registry.manifests import Catalogue
from core.registry.router import CONFIDENT, MARGIN, POSSIBLE, Decision
from core.registry.switched import without
from pages.components.markdown import literal
from pages.components.metrics import NARROWEST, number
from pages.components.page import Page
from telemetry import formats

LONGEST = 2_000
RULE = (
    f"A question goes straight to a specialist whose score is at least {CONFIDENT:.2f} and {MARGIN:.2f} ahead of any "
    f"other. If not, the assistant decides, and is told who scores at least {POSSIBLE:.2f}. No model is asked for this."
)


def tester(page: Page) -> None:
    """Draw the question box and what comes of it."""
    question = st.text_input(
        "Which tools does a question need?",
        placeholder="Type one, for example: Show my unread emails",
        max_chars=LONGEST,
        key="q",
        bind="query-params",
    )
    if not question.strip():
        st.caption(RULE)
        return
    off = page.services.switchboard.off(page.user.id).domains
    known = page.services.router.route(question)
    decision = without(page.services.added.routed(page.user.id, question, None, known), off)
    verdict(page, decision)
    with st.expander("Scores", key="scores"):
        st.caption(RULE)
        domains(page.own.catalogue, decision)
        tools(page, decision)


def verdict(page: Page, decision: Decision) -> None:
    """Who answers, why, and what the specialist's model is spared."""
    st.markdown(f"{sentence(page.own.catalogue, decision)} {literal(decision.reason)}")
    if decision.route != "direct":
        return
    display = page.own.display(page.services.display)
    own = display.index.own_tools(decision.domains[0])
    hidden = hidden_of(page, decision)
    with st.grid(3, min_column_width=NARROWEST):
        number("Tools shown", f"{len(own) - len(hidden)} of {len(own)}", None, "The others are one call away.")
        number("Tokens of tools", formats.count(display.tokens(own - hidden)), None, "What they add; an estimate.")
        number("Tokens saved", formats.count(display.tokens(hidden)), None, "In every model call; an estimate.")


def sentence(catalogue: Catalogue, decision: Decision) -> str:
    """Who answers."""
    titles = [f"**{literal(catalogue.domains[name].agent.title)}**" for name in decision.domains]
    if decision.route == "direct":
        return f"Straight to {titles[0]}."
    if titles:
        return f"The assistant decides; it is told of {' and '.join(titles)}."
    return "The assistant answers, or asks back."


def hidden_of(page: Page, decision: Decision) -> frozenset[str]:
    """The tools that are not shown at first."""
    if decision.route != "direct":
        return frozenset()
    display: Display = page.own.display(page.services.display)
    return display.hidden(decision.domains[0], decision.tool_scores)


def domains(catalogue: Catalogue, decision: Decision) -> None:
    """The score of each specialist."""
    order = sorted(decision.scores, key=lambda name: decision.scores[name], reverse=True)
    st.dataframe(
        [
            {
                "Specialist": catalogue.domains[name].agent.title,
                "Score": decision.scores[name],
                "": stands(decision, name),
            }
            for name in order
        ],
        hide_index=True,
        key="domain_scores",
        column_config={"Score": score_column()},
        alt="How near the question is to each specialist",
    )


def stands(decision: Decision, name: str) -> str:
    """What a score means for its specialist."""
    if name in decision.domains:
        return "takes part"
    return "possible" if decision.route != "direct" and name in decision.candidates else ""


def tools(page: Page, decision: Decision) -> None:
    """The score of each tool that scores at all, the best first."""
    hidden = hidden_of(page, decision)
    chosen = decision.domains[0] if decision.route == "direct" else None
    scored = [(domain, tool, decision.tool_scores.get(tool.name, 0.0)) for domain, tool in page.own.catalogue.tools()]
    rows = [
        {
            "Tool": tool.title,
            "Specialist": page.own.catalogue.domains[domain].agent.title,
            "Score": score,
            "Shown": "" if chosen != domain else "on request" if tool.name in hidden else "yes",
        }
        for domain, tool, score in sorted(scored, key=lambda one: one[2], reverse=True)
        if score > 0
    ]
    st.dataframe(
        rows,
        hide_index=True,
        key="tool_scores",
        height=320,
        column_config={"Score": score_column()},
        alt="How near the question is to each tool, and whether the specialist is shown it",
    )


def score_column() -> object:
    """A score as a bar."""
    return st.column_config.ProgressColumn("Score", format="%.2f", min_value=0.0, max_value=1.0)
