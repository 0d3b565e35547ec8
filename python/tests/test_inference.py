"""Inference from Python gives the numbers of the command line."""

import json
import math
import subprocess
import sys

import polars
import pytest
from shared import columns

import congenial as cg


@pytest.fixture
def opened(public, children):
    public.release(children, out="release")
    return cg.open("release")


def program(*arguments: str) -> dict:
    run = subprocess.run(
        [sys.executable, "-m", "congenial", "infer", "release", "--json", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


def same_as_program(call, *arguments: str):
    """What a call tells is what the program tells; `None` where both refuse in the same words.

    Releases have no seed, and of some a model or a rate is not told: which ones does not matter here. The tests of the
    program ask about releases with fixed draws, of which it must be told.
    """
    run = subprocess.run(
        [sys.executable, "-m", "congenial", "infer", "release", "--json", *arguments], capture_output=True, text=True
    )
    if run.returncode == 0:
        told = call()
        assert list(told.rows) == json.loads(run.stdout)["figures"]
        return told
    assert run.returncode == 3, run.stderr
    with pytest.raises(cg.Refused) as refused:
        call()
    assert f"refused: {refused.value.message}" in run.stderr
    return None


def test_intervals(opened):
    told = opened.interval(by=["county", "education"], level=0.95)
    assert list(told.rows) == program("--by", "county,education", "--level", "0.95")["figures"]
    assert told.exact
    assert told.level == 0.95
    assert len(told) == 16
    table = told.to_polars()
    assert table.columns[:2] == ["query", "released"]
    assert (table["upper"] >= table["released"]).all()
    assert polars.DataFrame(told).equals(table)
    where = opened.interval(where="county = 'Alpha' and education = 'Low'")
    assert where[0]["reach"] == 7


def test_rates(opened):
    told = opened.rate("education = 'Low'", "education in ('Low', 'High')", by="county")
    asked = ["--rate", "education = 'Low'", "education in ('Low', 'High')", "--by", "county"]
    assert list(told.rows) == program(*asked)["figures"]


def test_comparisons(opened):
    pair = ("education = 'Low'", "education = 'High'")
    told = opened.compare(*pair, by="county")
    assert list(told.rows) == program("--compare", *pair, "--by", "county")["figures"]
    assert told.kind == "comparisons"
    believed = opened.posterior(nonnegative=True).compare(*pair)
    assert list(believed.rows) == program("--posterior", "--nonnegative", "--compare", *pair)["figures"]


def test_regressions(opened):
    told = opened.posterior(nonnegative=True).regress("count ~ county + education", imputations=5)
    asked = ["--posterior", "--nonnegative", "--regress", "count ~ county + education", "--impute", "5"]
    assert list(told.rows) == program(*asked)["figures"]
    assert told.to_polars()["term"][0] == "(constant)"
    with pytest.raises(cg.BadInput, match="no dimension"):
        opened.posterior().regress("count ~ nothing")


def test_models(opened):
    asked = ["--model", "hierarchical", "--by", "county", "--draws", "4000"]
    # Chains of a few releases in a hundred do not agree, and no number is told.
    told = same_as_program(lambda: opened.model("hierarchical", by="county", draws=4000), *asked)
    if told is not None:
        assert [row["kind"] for row in told.rows] == ["rate"] * 4 + ["parameter"] * 2
    pair = ("education = 'Low'", "education in ('Low', 'High')")
    told = opened.rate(*pair, by="county", against=0.5)
    assert list(told.rows) == program("--rate", *pair, "--by", "county", "--against", "0.5")["figures"]
    assert all(0 <= row["above"] <= 1 for row in told.rows)
    assert {"query", "mean", "lower", "upper", "above"} <= set(told.to_polars().columns)


def test_posteriors(opened):
    posterior = opened.posterior(nonnegative=True)
    told = posterior.figures(by="education")
    assert list(told.rows) == program("--posterior", "--nonnegative", "--by", "education")["figures"]
    law = posterior.law(where="education = 'Low'")
    asked = program("--posterior", "--nonnegative", "--where", "education = 'Low'")["figures"][0]
    assert (law.mean, law.lower, law.upper) == (asked["mean"], asked["lower"], asked["upper"])
    best = posterior.table("consistent").to_polars()
    program("--posterior", "--nonnegative", "--table", "best.csv", "--best", "consistent")
    assert best["value"].to_list() == polars.read_csv("best.csv")["value"].to_list()
    totals = dict(best.group_by("county").agg(polars.col("value").sum()).iter_rows())
    assert totals == {"Alpha": 20, "Beta": 55, "Gamma": 25, "Delta": 35}
    draws = posterior.draws(7).to_polars()
    assert draws["imputation"].n_unique() == 7
    assert draws.height == 7 * 16
    assert (draws["value"] >= 0).all()
    sums = draws.group_by("imputation", "county").agg(polars.col("value").sum())
    assert sums.filter(polars.col("county") == "Beta")["value"].unique().to_list() == [55]


def test_posterior_rates(opened):
    posterior = opened.posterior(nonnegative=True)
    pair = ("education = 'Low'", "education in ('Low', 'High')")
    asked = ["--posterior", "--nonnegative", "--rate", *pair, "--by", "county"]
    told = same_as_program(lambda: posterior.rate(*pair, by="county"), *asked)
    assert told is None or len(told) == 4
    assert told is None or all(0 <= row["lower"] <= row["upper"] <= 1 for row in told.rows)


def test_likelihoods_of_frames_and_files(opened, tmp_path):
    truth = polars.DataFrame(columns()).rename({"children": "value"})
    truth.write_csv("truth.csv")
    by_file = program("--likelihood", "truth.csv")["figures"][0]["log_likelihood"]
    assert opened.log_likelihood("truth.csv") == by_file
    assert opened.log_likelihood(truth) == by_file
    assert opened.log_likelihood(truth.to_pandas()) == by_file
    impossible = truth.with_columns(polars.col("value") + 1)
    both = opened.log_likelihood(truth, impossible)
    assert both[0] == by_file
    assert both[1] is None or both[1] == float("-inf")
    with pytest.raises(TypeError, match="dataframe"):
        opened.log_likelihood([1, 2])
    with pytest.raises(TypeError, match="at least one"):
        opened.log_likelihood()


def test_several_releases_are_one_posterior():
    """Releases have no seed, and two that differ much may leave a wider law than one: the law itself is compared."""
    # Forty pairs: two draws of one pair are often equal, and equal ones of one second are taken for a copy.
    pairs = range(40)
    counts = polars.DataFrame(
        {"pair": [n for n in pairs for _ in "lr"], "side": ["l", "r"] * 40, "count": [12, 8] * 40}
    )
    spec = (
        cg.spec("Forty pairs")
        .data(count="count", public=True)
        .dimension("pair", integers=[0, 39])
        .dimension("side", ["l", "r"])
        .keep("pair")
        .nonnegative(False)
        .noise("double-geometric", epsilon="1/4", per="unit")
    )
    folders = ["first", "second"]
    lefts = [spec.release(counts, out=folder).table().to_dict()["value"][::2] for folder in folders]

    def expected(drawn: list[int]) -> tuple[float, float]:
        # A pair has one sum, so both sides have the same noise: each release weighs by exp(-2 |y - x| / 4).
        near = range(min(drawn) - 200, max(drawn) + 201)
        masses = [math.exp(-sum(abs(left - x) for left in drawn) / 2) for x in near]
        weighed = list(zip(masses, near, strict=True))
        mean = math.fsum(mass * x for mass, x in weighed) / math.fsum(masses)
        square = math.fsum(mass * (x - mean) ** 2 for mass, x in weighed) / math.fsum(masses)
        return mean, math.sqrt(square)

    for known in (1, 2):
        posterior = cg.open(*folders[:known]).posterior()
        for pair in (0, 17, 39):
            law = posterior.law(where=f"pair = {pair} and side = 'l'")
            assert law.exact
            drawn = [values[pair] for values in lefts[:known]]
            assert (law.mean, law.deviation) == pytest.approx(expected(drawn), rel=1e-9)


def test_hypotheses(public, children, opened):
    both = public.keep("education")
    both.release(children, out="both")
    told = cg.open("both").test("independence", rows="county", columns="education", draws=199)
    assert told.exact
    assert told.kind == "test"
    assert told[0]["statistic"] == "pearson"
    assert told[0]["p_value"] == (1 + told[0]["at_least"]) / 200
    asked = ["--test", "independence", "--rows", "county", "--columns", "education", "--approximate", "bootstrap"]
    approximate = opened.test(
        "independence", rows="county", columns=["education"], approximate="bootstrap", draws=99, significance=0.1
    )
    assert list(approximate.rows) == program(*asked, "--draws", "99", "--significance", "0.1")["figures"]
    assert not approximate.exact
    assert polars.DataFrame(told).columns[:2] == ["test", "statistic"]
    trend = cg.open("both").test("trend", rows="county", columns="education", scores=[0, 1, 2, 4], draws=99)
    assert trend[0]["naive_freedom"] == 1
    with pytest.raises(cg.Refused, match="by education"):
        opened.test("independence", rows="county", columns="education")
    with pytest.raises(cg.BadInput, match="no test"):
        opened.test("guess")


def test_refusals_say_why(public, children, opened):
    bounded = public.nonnegative(True)
    bounded.release(children, out="bounded")
    with pytest.raises(cg.Refused):
        cg.open("bounded").interval(by="education")
    with pytest.raises(cg.BadInput):
        opened.interval(by="contry")
    with pytest.raises(cg.CongenialError):
        cg.open("nowhere").interval()
    with pytest.raises(ValueError, match="best"):
        opened.posterior().table("nicest")
