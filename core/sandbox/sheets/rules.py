"""Requests that change conditional formats."""

from collections.abc import Mapping
from typing import Any

from core.sandbox.sheets import formulas
from core.sandbox.sheets.book import Sheet
from core.sandbox.sheets.work import Json, Refused, Work

NUMBERS = (
    "NUMBER_GREATER",
    "NUMBER_GREATER_THAN_EQ",
    "NUMBER_LESS",
    "NUMBER_LESS_THAN_EQ",
    "NUMBER_EQ",
    "NUMBER_NOT_EQ",
)
TEXTS = ("TEXT_CONTAINS", "TEXT_NOT_CONTAINS", "TEXT_STARTS_WITH", "TEXT_ENDS_WITH", "TEXT_EQ", "TEXT_NOT_EQ")
DATES = ("DATE_EQ", "DATE_BEFORE", "DATE_AFTER")
VALUES = {
    **dict.fromkeys((*NUMBERS, *TEXTS, *DATES, "CUSTOM_FORMULA"), 1),
    "NUMBER_BETWEEN": 2,
    "NUMBER_NOT_BETWEEN": 2,
    "BLANK": 0,
    "NOT_BLANK": 0,
}
"""Conditions of conditional formats, and how many values each takes."""
POINTS = ("MIN", "MAX", "NUMBER", "PERCENT", "PERCENTILE")


def add_rule(work: Work, body: Json) -> Json:
    """addConditionalFormatRule."""
    rule = checked(work, body.get("rule") or {})
    sheet = work.sheet(rule["ranges"][0].get("sheetId"))
    index = int(body.get("index") or 0)
    if index > len(sheet.rules):
        raise Refused(f"Cannot insert a rule at index: {index}, there are only {len(sheet.rules)} rules.")
    sheet.rules.insert(index, rule)
    return {}


def update_rule(work: Work, body: Json) -> Json:
    """updateConditionalFormatRule: another rule, or another place in the order."""
    index = int(body.get("index") or 0)
    if "rule" in body:
        new = checked(work, body["rule"])
        sheet = work.sheet(body.get("sheetId", new["ranges"][0].get("sheetId")))
        old = known(sheet, index)
        sheet.rules[index] = new
        return {"updateConditionalFormatRule": {"oldRule": old, "oldIndex": index, "newRule": new, "newIndex": index}}
    sheet = work.sheet(body.get("sheetId"))
    old, target = known(sheet, index), int(body.get("newIndex") or 0)
    sheet.rules.insert(target, sheet.rules.pop(index))
    return {"updateConditionalFormatRule": {"oldIndex": index, "newIndex": target, "newRule": old}}


def delete_rule(work: Work, body: Json) -> Json:
    """deleteConditionalFormatRule."""
    sheet, index = work.sheet(body.get("sheetId")), int(body.get("index") or 0)
    rule = known(sheet, index)
    del sheet.rules[index]
    return {"deleteConditionalFormatRule": {"rule": rule}}


def known(sheet: Sheet, index: int) -> Json:
    """The rule at an index.

    Raises:
        Refused: there is none.
    """
    if not 0 <= index < len(sheet.rules):
        raise Refused(f"No conditional format on sheet: {sheet.id} at index: {index}")
    return sheet.rules[index]


def checked(work: Work, rule: Mapping[str, Any]) -> Json:
    """A rule that can be kept.

    Raises:
        Refused: says what is wrong with it.
    """
    ranges = rule.get("ranges") or []
    if not ranges:
        raise Refused("A conditional format rule must have at least one range.")
    if len({work.area(one)[0].id for one in ranges}) > 1:
        raise Refused("All ranges of a rule must be on the same sheet.")
    if ("booleanRule" in rule) == ("gradientRule" in rule):
        raise Refused("Exactly one of booleanRule and gradientRule must be set.")
    if "booleanRule" in rule:
        check_condition(rule["booleanRule"].get("condition") or {})
    else:
        check_gradient(rule["gradientRule"])
    return {"ranges": [{**one, "sheetId": int(one.get("sheetId") or 0)} for one in ranges], **without_ranges(rule)}


def without_ranges(rule: Mapping[str, Any]) -> Json:
    """The rest of a rule."""
    return {name: value for name, value in rule.items() if name in ("booleanRule", "gradientRule")}


def check_condition(condition: Mapping[str, Any]) -> None:
    """A condition is one that formats may have, with as many values as it takes."""
    kind, values = condition.get("type"), condition.get("values") or []
    if kind not in VALUES:
        raise Refused(f"ConditionType '{kind}' is not supported for conditional formats.")
    if len(values) != VALUES[kind]:
        raise Refused(
            f"ConditionType '{kind}' requires exactly {VALUES[kind]} ConditionValues, but {len(values)} were given."
        )
    formula = str(values[0].get("userEnteredValue") or "") if values else ""
    if kind == "CUSTOM_FORMULA" and not formula.startswith("="):
        raise Refused("A custom formula must start with '='.")
    if not formulas.bearable(formula):
        raise Refused("Invalid formula.")


def check_gradient(gradient: Mapping[str, Any]) -> None:
    """A gradient has its two ends, each with a type and what that needs."""
    for name in ("minpoint", "maxpoint"):
        if name not in gradient:
            raise Refused(f"Gradient rule must have a {name}.")
    for name in ("minpoint", "midpoint", "maxpoint"):
        point = gradient.get(name) or {"type": "MIN"}
        if point.get("type") not in POINTS:
            raise Refused(f"Invalid type of {name}: {point.get('type')}")
        if point["type"] not in ("MIN", "MAX") and not point.get("value"):
            raise Refused(f"{name} of type {point['type']} requires a value.")
