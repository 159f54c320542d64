"""What rspec, minitest and test-unit print is read as the tests that failed and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from printing import split, told

from chalkgit.failures.printed import minitest, rspec

RSPEC = """\
    .F*FF

    An error occurred while loading ./spec/broken_spec.rb.
    Failure/Error: __send__(method, file)

    SyntaxError:
      /srv/shop/spec/broken_spec.rb:1: syntax error, unexpected end-of-input
    # /usr/lib/ruby/rspec/core/configuration.rb:2117:in `load'

    Pending: (Failures listed here are expected and do not affect your suite's status)

      1) Crate waits
         # No reason given
         Failure/Error: expect(1).to eq 2

           expected: 2
                got: 1

    Failures:

      1) Crate counts
         Failure/Error:
           crate = Crate.new
           expect(crate.count).to eq 3

           expected: 3
                got: 4

           (compared using ==)
         # ./spec/crate_spec.rb:9:in `block (2 levels) in <top (required)>'

      2) Crate raises
         Failure/Error: raise Stuck, "lid is stuck"

         Stuck:
           lid is stuck
         # ./lib/crate.rb:3:in `open'
         # ------------------
         # --- Caused by: ---
         # IOError:
         #   inner

      3) Crate says it in one line
         Failure/Error: expect([1]).to include(2)
           expected [1] to include 2
         # ./spec/crate_spec.rb:15:in `block'

      4) Crate twice
         Got 2 failures:

         4.1) Failure/Error: expect(1).to eq 2

                expected: 2
                     got: 1
              # ./spec/crate_spec.rb:20:in `block'

         4.2) Failure/Error: expect(3).to eq 4

                expected: 4
                     got: 3

    Finished in 0.1 seconds (files took 0.3 seconds to load)
    6 examples, 4 failures, 1 pending, 1 error occurred outside of examples

    Failed examples:

    rspec ./spec/crate_spec.rb:7 # Crate counts
    rspec './spec/crate_spec.rb[1:2]' # Crate raises
    rspec ./spec/crate_spec.rb:14 # Crate says it in one line
    rspec ./spec/crate_spec.rb:19 # Crate twice
    """


def test_rspec_tells_the_message_below_the_class_and_the_file_from_the_failed_examples() -> None:
    assert told(rspec.read(split(RSPEC))) == {
        "spec.broken_spec": "/srv/shop/spec/broken_spec.rb:1: syntax error, unexpected end-of-input",
        "spec.crate_spec::Crate counts": "expected: 3",
        "spec.crate_spec::Crate raises": "lid is stuck",
        "spec.crate_spec::Crate says it in one line": "expected [1] to include 2",
        "spec.crate_spec::Crate twice": "expected: 2",
    }


def test_of_an_output_without_the_list_the_file_comes_from_the_frames() -> None:
    cut = RSPEC.split("    Finished in")[0] + "    6 examples, 4 failures\n"
    assert "spec.crate_spec::Crate counts" in told(rspec.read(split(cut)))


def test_of_an_output_without_the_failures_the_list_is_what_there_is() -> None:
    cut = "    Failed examples:" + RSPEC.split("    Failed examples:")[1]
    reading = rspec.read(split(cut))
    assert list(told(reading)) == [name for name in told(rspec.read(split(RSPEC))) if "::" in name]
    assert reading is not None
    assert not reading.complete


MINITEST = """\
    Run options: --seed 25912

    # Running:

    F.ES

    Finished in 0.000406s, 4929.8483 runs/s, 4929.8483 assertions/s.

      1) Failure:
    CrateTest#test_count [test/crate_test.rb:9]:
    how many.
    Expected: 3
      Actual: 4

      2) Error:
    Crate::when full#test_0001_opens its lid:
    ArgumentError: one
    two
        test/crate_test.rb:5:in `test_open'

      3) Skipped:
    CrateTest#test_later [test/crate_test.rb:12]:
    later

    4 runs, 3 assertions, 1 failures, 1 errors, 1 skips
    """
RAILS = """\
    Running 2 tests in a single process (parallelization threshold is 50)
    F

    Failure:
    CrateTest#test_count [test/models/crate_test.rb:9]:
    Expected: 3
      Actual: 4


    bin/rails test test/models/crate_test.rb:7

    Finished in 0.2s, 4.9 runs/s, 4.9 assertions/s.
    2 runs, 2 assertions, 1 failures, 0 errors, 0 skips
    """
TEST_UNIT = """\
    Loaded suite crate
    Started
    ===============================================================================
    Failure: test_count(CrateTest)
    crate.rb:3:in `test_count'
         2: class CrateTest < Test::Unit::TestCase
      => 3:   def test_count; assert_equal(3, 4); end
         4: end
    <3> expected but was
    <4>
    ===============================================================================
    ===============================================================================
    Error: test: opens(CrateTest):
      ArgumentError: stuck
    crate.rb:5:in `open'
         4: end
    ===============================================================================
    2 tests, 1 assertions, 1 failures, 1 errors, 0 pendings, 0 omissions, 0 notifications
    """


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            MINITEST,
            {
                "CrateTest#test_count": "how many.",
                "Crate::when full#test_0001_opens its lid": "ArgumentError: one",
            },
        ),
        (RAILS, {"CrateTest#test_count": "Expected: 3"}),
        (
            TEST_UNIT,
            {"CrateTest#test_count": "<3> expected but was", "CrateTest#test: opens": "ArgumentError: stuck"},
        ),
    ],
    ids=["minitest", "rails", "test-unit"],
)
def test_minitest_and_its_kin_tell_case_and_test(text: str, expected: dict[str, str]) -> None:
    assert told(minitest.read(split(text))) == expected


def test_a_comparison_goes_on_in_the_detail_and_ends_before_the_frames() -> None:
    reading = minitest.read(split(MINITEST))
    assert reading is not None
    assert [failure.detail for failure in reading.failures] == [("Expected: 3", "Actual: 4"), ("two",)]


def test_ruby_that_did_not_load_has_an_error_and_no_test() -> None:
    crash = "lib/crate.rb:2:in `require': cannot load such file -- lid (LoadError)\n\tfrom crate.rb:1\n"
    assert told(minitest.read(split(crash))) == {"": crash.split("\n")[0]}
    assert minitest.read(split("lib/crate.rb: nothing is wrong here\n")) is None


LINES = sorted({line for text in (RSPEC, MINITEST, RAILS, TEST_UNIT) for line in split(text)})


@given(st.lists(st.sampled_from(LINES), max_size=80))
def test_any_order_of_lines_is_read_without_an_exception(mixed: list[str]) -> None:
    for reader in (rspec, minitest):
        reading = reader.read(mixed)
        assert reading is None or all(isinstance(failure.test, str) for failure in reading.failures)
