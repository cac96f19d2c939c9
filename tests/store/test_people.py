"""People and their tokens: who comes in, what an administrator may set, what a token is worth."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.errors import BadInput, NotAllowed, NotFound
from core.store.people import People
from core.store.people_tables import ApiToken
from core.store.sessions import reading
from core.store.tokens import EVERY_SCOPE, MOST_TOKENS, Scope, Tokens
from core.users import LOCAL_USER_ID, Role
from tests.people import claims, rules

RULES = rules(allowed="lumenworks.example", administrators="boss@lumenworks.example")
LISTED = claims("boss@lumenworks.example")


@pytest.fixture
def people(engine):
    return People(engine, RULES)


@pytest.fixture
def ana(people):
    return people.signed_in(claims("ana@lumenworks.example"))


@pytest.fixture
def boss(people):
    return people.signed_in(LISTED)


def test_somebody_is_kept_at_the_first_sign_in_and_known_again(people, ana):
    again = people.signed_in(claims("Ana@Lumenworks.example"))
    assert again.id != ana.id  # another subject is another person, whatever the address
    assert people.signed_in(claims("ana@lumenworks.example")) == ana
    assert (ana.name, ana.email, ana.role, ana.read_only) == ("Ana", "ana@lumenworks.example", Role.PERSON, False)


def test_who_has_a_new_address_keeps_what_is_theirs(people, ana):
    moved = people.signed_in(claims("ana.berger@lumenworks.example", "ana@lumenworks.example"))
    assert (moved.id, moved.email) == (ana.id, "ana.berger@lumenworks.example")


@pytest.mark.parametrize(
    "told",
    [
        claims("ana@lumenworks.example", verified=False),
        claims("ana@elsewhere.example"),
        claims(""),
        claims("ana@lumenworks.example").__class__("", "s", "ana@lumenworks.example", True, "Ana"),
    ],
)
def test_who_is_not_verified_or_not_listed_does_not_come_in_and_is_not_kept(people, boss, told):
    with pytest.raises(NotAllowed):
        people.signed_in(told)
    assert [row.email for row in people.list(boss)] == ["boss@lumenworks.example"]


def test_who_is_disabled_is_out_at_once_and_back_again(people, ana, boss):
    people.set_disabled(boss, ana.id, True)
    for attempt in (lambda: people.signed_in(claims("ana@lumenworks.example")), lambda: people.user(ana.id)):
        with pytest.raises(NotAllowed):
            attempt()
    people.set_disabled(boss, ana.id, False)
    assert people.user(ana.id) == ana


def test_who_is_taken_off_the_list_is_out_with_their_tokens_too(engine, ana):
    stricter = People(engine, rules(allowed="partner.example"))
    with pytest.raises(NotAllowed):
        stricter.user(ana.id)
    assert stricter.known(ana.id).id == ana.id  # what they had begun is still theirs


def test_only_administrators_see_and_set_others(people, ana, boss):
    tries = [
        lambda: people.list(ana),
        lambda: people.set_role(ana, boss.id, Role.PERSON),
        lambda: people.set_role(ana, ana.id, Role.ADMINISTRATOR),
        lambda: people.set_read_only(ana, ana.id, False),
        lambda: people.set_disabled(ana, boss.id, True),
        lambda: people.set_disabled(boss, boss.id, True),
        lambda: people.set_role(boss, boss.id, Role.PERSON),
    ]
    for attempt in tries:
        with pytest.raises(NotAllowed):
            attempt()
    people.set_role(boss, ana.id, Role.ADMINISTRATOR)
    assert people.user(ana.id).administers
    with pytest.raises(BadInput, match="GLASSDESK_ADMINISTRATORS"):
        people.set_role(people.user(ana.id), boss.id, Role.PERSON)
    with pytest.raises(NotFound):
        people.set_disabled(boss, "nobody", True)


def test_read_only_is_a_persons_or_everybodys(engine, people, ana, boss):
    assert not people.read_only(ana.id)
    people.set_read_only(boss, ana.id, True)
    assert people.user(ana.id).read_only and not people.user(boss.id).read_only
    everybody = People(engine, rules(allowed="lumenworks.example", read_only=True))
    assert everybody.local().read_only and everybody.known(boss.id).read_only
    assert people.read_only("nobody knows")


def test_each_has_a_zone_of_their_own(people, ana):
    assert ana.zone == ZoneInfo("Europe/Berlin")
    people.set_zone(ana, "Asia/Tokyo")
    assert people.user(ana.id).zone == ZoneInfo("Asia/Tokyo")
    people.set_zone(ana, None)
    assert people.user(ana.id).zone == ZoneInfo("Europe/Berlin")
    with pytest.raises(BadInput, match="IANA"):
        people.set_zone(ana, "../../etc/passwd")


def test_the_local_user_has_settings_too(people):
    people.set_zone(people.local(), "Asia/Tokyo")
    people.set_read_only(people.local(), LOCAL_USER_ID, True)
    assert people.local().zone == ZoneInfo("Asia/Tokyo") and people.local().read_only
    assert people.local().administers and people.user(LOCAL_USER_ID) == people.local()


def test_a_token_is_shown_once_and_kept_as_a_hash(engine):
    tokens = Tokens(engine)
    row, token = tokens.make("ana", " my  script ", {Scope.CHAT, Scope.MCP})
    assert (row.name, row.scopes, row.used_at) == ("my script", ["chat", "mcp"], None)
    with reading(engine) as session:
        kept = session.get(ApiToken, row.id)
    assert token not in str(kept.model_dump()) and token.startswith("gdk_") and len(token) > 40
    grant = tokens.find(token)
    assert (grant.user_id, grant.scopes) == ("ana", {Scope.CHAT, Scope.MCP})
    assert tokens.of_user("ana")[0].used_at.replace(tzinfo=UTC) <= datetime.now(UTC)


@pytest.mark.parametrize("wrong", ["", "gdk_", "gdk_x", "' OR 1=1 --", "ü"])
def test_a_wrong_token_is_nobodys(engine, wrong):
    tokens = Tokens(engine)
    tokens.make("ana", "one", EVERY_SCOPE)
    assert tokens.find(wrong) is None


def test_a_revoked_token_is_worthless_and_only_its_owner_revokes_it(engine):
    tokens = Tokens(engine)
    row, token = tokens.make("ana", "one", EVERY_SCOPE)
    with pytest.raises(NotFound):
        tokens.revoke("eve", row.id)
    assert tokens.find(token) is not None
    tokens.revoke("ana", row.id)
    assert tokens.find(token) is None and tokens.of_user("ana") == []
    with pytest.raises(NotFound):
        tokens.revoke("ana", row.id)


def test_a_token_needs_a_name_and_a_use_and_there_are_not_too_many(engine):
    tokens = Tokens(engine)
    for name, scopes in (("", EVERY_SCOPE), (" ", EVERY_SCOPE), ("x" * 61, EVERY_SCOPE), ("one", ())):
        with pytest.raises(BadInput):
            tokens.make("ana", name, scopes)
    for number in range(MOST_TOKENS):
        tokens.make("ana", str(number), {Scope.CHAT})
    with pytest.raises(BadInput, match="Revoke one"):
        tokens.make("ana", "one more", {Scope.CHAT})
    assert tokens.make("eve", "hers", {Scope.CHAT})
