"""What a person's requests cost: charged when an answer is whole, to the day of their zone, and past the day's cap nothing is sent."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.server import DONE, Server, event
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.explain import explain
from steadyhand.core.tracing import NoTracing
from steadyhand.core.wire import Completion, Delta, Message, Request, Usage
from steadyhand.llm.metered import MeteredProvider, Prices
from steadyhand.llm.provider import ProviderError, complete, let_go
from steadyhand.llm.scripted import Scripted
from steadyhand.store.people import people, spending
from steadyhand.store.people.spending import Spent
from steadyhand.wiring.talking import configured_provider
from store.ground import ME, OTHER, store

__all__ = ["store"]

ASK = Request((Message("user", "hello"),))
PRICES = Prices(read=2.0, written=8.0)
WHOLE = Completion("hello", usage=Usage(1_000_000, 500_000))  # 2 + 4 by these prices
MONDAY = "2026-09-07"


@pytest.fixture
def clock():
    """Monday evening in London, Tuesday morning in Shanghai, where both people are."""
    return FakeClock(datetime(2026, 9, 6, 20, 0, tzinfo=UTC))


class Counted:
    """A provider that counts how often it is asked, and notes when a stream of it is closed."""

    def __init__(self, *events):
        self.events, self.asked, self.closed = events, 0, 0

    async def stream(self, request):
        self.asked += 1
        try:
            for one in self.events:
                if isinstance(one, Exception):
                    raise one
                yield one
        finally:
            self.closed += 1


def metered(store, provider, *, user=ME, model="small", prices=PRICES):
    return MeteredProvider(provider, store, user, model, prices)


def answer(provider):
    return asyncio.run(complete(provider, ASK))


def failure(provider):
    with pytest.raises(ProviderError) as caught:
        answer(provider)
    return caught.value


def on_day(store, day=MONDAY, user=ME):
    return store.read_now(lambda tx: spending.on_day(tx, user, day))


# ---- what is charged -------------------------------------------------------------------------------------------------


def test_what_the_provider_yields_passes_unchanged(store):
    async def play():
        return [one async for one in metered(store, Counted(Delta("hel"), Delta("lo"), WHOLE)).stream(ASK)]

    assert asyncio.run(play()) == [Delta("hel"), Delta("lo"), WHOLE]


def test_a_whole_answer_is_charged_by_the_prices_of_a_million(store):
    answer(metered(store, Counted(WHOLE)))
    assert on_day(store) == Spent(1, 1_000_000, 500_000, 6.0)


def test_before_the_whole_answer_is_handed_on_it_is_charged(store):
    async def play():
        async for one in metered(store, Counted(Delta("hello"), WHOLE)).stream(ASK):
            spent = await store.read(lambda tx: spending.on_day(tx, ME, MONDAY))
            assert spent.requests == isinstance(one, Completion)

    asyncio.run(play())


@pytest.mark.parametrize("end", [(), (ProviderError("truncated", "broken_off"),), (ProviderError("provider", "unreachable"),)])
def test_an_answer_that_never_became_whole_is_not_charged(store, end):
    failure(metered(store, Counted(Delta("hel"), *end)))
    assert on_day(store) == Spent()


def test_an_answer_without_counted_tokens_counts_as_a_request(store):
    answer(metered(store, Counted(Completion("hello"))))
    assert on_day(store) == Spent(1, 0, 0, 0.0)


def test_without_prices_tokens_are_counted_at_no_cost(store):
    answer(metered(store, Counted(WHOLE), prices=Prices()))
    assert on_day(store) == Spent(1, 1_000_000, 500_000, 0.0)


@given(read=st.floats(0, 1000), written=st.floats(0, 1000), tokens=st.tuples(st.integers(0, 10**9), st.integers(0, 10**9)))
def test_a_cost_is_never_negative_and_grows_with_what_is_written(read, written, tokens):
    prices = Prices(read, written)
    cost = prices.of(Usage(*tokens))
    assert cost >= 0
    assert prices.of(Usage(tokens[0], tokens[1] + 1)) >= cost
    assert prices.of(Usage()) == 0


# ---- the cap ---------------------------------------------------------------------------------------------------------


def capped(cap):
    return Prices(PRICES.read, PRICES.written, cap)


def test_at_the_cap_nothing_is_sent(store):
    asked = Counted(WHOLE)
    answer(metered(store, asked, prices=capped(6.0)))
    error = failure(metered(store, asked, prices=capped(6.0)))
    assert (error.kind, error.reason, error.retryable, asked.asked) == ("provider", "cap_reached", False, 1)
    assert on_day(store).requests == 1


def test_below_the_cap_one_more_is_sent_which_may_pass_it_by_its_own_cost(store):
    asked = Counted(WHOLE)
    for _ in range(2):
        answer(metered(store, asked, prices=capped(6.5)))
    assert failure(metered(store, asked, prices=capped(6.5))).reason == "cap_reached"
    assert (asked.asked, on_day(store).cost) == (2, 12.0)


def test_the_cap_is_over_all_models(store):
    answer(metered(store, Counted(WHOLE), model="large", prices=capped(6.0)))
    assert failure(metered(store, Counted(WHOLE), model="small", prices=capped(6.0))).reason == "cap_reached"


def test_one_persons_cap_is_not_anothers(store):
    answer(metered(store, Counted(WHOLE), prices=capped(6.0)))
    assert answer(metered(store, Counted(WHOLE), user=OTHER, prices=capped(6.0))) == WHOLE
    assert (on_day(store).cost, on_day(store, user=OTHER).cost) == (6.0, 6.0)


def test_the_next_day_of_the_persons_zone_begins_anew(store, clock):
    asked = metered(store, Counted(WHOLE), prices=capped(6.0))
    answer(asked)
    clock.advance(timedelta(hours=19, minutes=59))  # 23:59 in Shanghai
    assert failure(asked).reason == "cap_reached"
    clock.advance(timedelta(minutes=1))
    assert answer(asked) == WHOLE
    assert (on_day(store).cost, on_day(store, "2026-09-08").cost) == (6.0, 6.0)


def test_the_day_is_that_of_each_persons_own_zone(store):
    store.write_now(lambda tx: people.change_user(tx, OTHER, zone="Europe/London"))
    for user in (ME, OTHER):
        answer(metered(store, Counted(WHOLE), user=user))
    assert (on_day(store, MONDAY, ME).requests, on_day(store, "2026-09-06", OTHER).requests) == (1, 1)


def test_an_answer_that_comes_after_midnight_is_charged_to_the_day_on_which_it_was_asked(store, clock):
    class Slow(Counted):
        async def stream(self, request):
            clock.advance(timedelta(hours=20))
            async for one in super().stream(request):
                yield one

    answer(metered(store, Slow(WHOLE)))
    assert (on_day(store).requests, on_day(store, "2026-09-08").requests) == (1, 0)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_cap_that_is_reached_is_told_with_how_much_of_it(store, language):
    answer(metered(store, Counted(WHOLE), prices=capped(5.0)))
    told = explain(failure(metered(store, Counted(WHOLE), prices=capped(5.0))), language).detail
    assert "6.0000 / 5" in told
    assert "cap_reached" not in told


def test_many_at_once_are_each_charged(store):
    async def play():
        asked = metered(store, Scripted([[WHOLE]] * 8))
        await asyncio.gather(*(complete(asked, ASK) for _ in range(8)))

    asyncio.run(play())
    assert on_day(store) == Spent(8, 8_000_000, 4_000_000, 48.0)


# ---- leaving ---------------------------------------------------------------------------------------------------------


def test_a_stream_that_is_left_closes_the_providers_and_charges_nothing(store):
    asked = Counted(Delta("hel"), Delta("lo"), WHOLE)

    async def play():
        stream = metered(store, asked).stream(ASK)
        assert await anext(stream) == Delta("hel")
        await stream.aclose()
        assert asked.closed == 1

    asyncio.run(play())
    assert on_day(store) == Spent()


# ---- as it is wired --------------------------------------------------------------------------------------------------


def test_the_settings_give_the_prices_and_the_cap_of_the_configured_model(store):
    stream = [event({"content": "hello"}), event({}, "stop"), event({}, usage={"prompt_tokens": 9, "completion_tokens": 3}), DONE]

    async def play():
        async with Server([stream, stream]) as server:
            settings = Settings(
                model_base_url=server.address,
                model_name="small",
                model_price_read=1e6,
                model_price_written=2e6,
                model_cost_per_day=15.0,
            )
            asked = configured_provider(settings, store, ME, NoTracing())
            assert (await complete(asked, ASK)).text == "hello"
            with pytest.raises(ProviderError) as caught:
                await complete(asked, ASK)
            await let_go(asked)
            return caught.value.reason, len(server.sent)

    assert asyncio.run(play()) == ("cap_reached", 1)
    assert on_day(store) == Spent(1, 9, 3, 15.0)
