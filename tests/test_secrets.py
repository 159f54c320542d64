"""Secrets in an output are masked by their shape; what only looks alike stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalkgit.failures.secrets import SECRET, masked

# Put together here, so that no scanner of this repository takes them for real ones.
TOKEN = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0" + ".abcDEF123_-x"
TOKENS = [
    "AKIA" + "Q3EGRZX7LMNOP2Q5",
    "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6q",
    "ghp_" + TOKEN,
    "github_pat_" + TOKEN,
    "glpat-" + TOKEN[:20],
    "xoxb-" + "123456789012-abcdefGHIJ",
    "sk_live_" + TOKEN,
    "sk-" + "ant-api03-" + TOKEN,
    "sk-" + "proj-" + TOKEN,
    "npm_" + TOKEN,
    "pypi-" + "AgEIcHlwaS5vcmc" + TOKEN,
    "hf_" + TOKEN,
    "SG." + TOKEN[:22] + "." + TOKEN,
    "dop_v1_" + "0a1b2c3d" * 8,
    JWT,
    JWT.rsplit(".", 1)[0],
    "$2b$12$" + "abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRS12345",
    "abc8Q~" + TOKEN,
]
BODY = (
    "\n".join("MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgwMbRvI0MB" for _ in range(6)) + "\nab12=="
)
BEGIN, END = ("-----" + word + " RSA PRIVATE " + "KEY-----" for word in ("BEGIN", "END"))


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:7])
def test_a_token_is_known_by_its_issuers_prefix_wherever_it_stands(token: str) -> None:
    for text in (
        token,
        f"refused ({token})",
        f"key '{token}' refused",
        f"GET /a?k={token}&b=1",
        f"a\n{token}\nb",
    ):
        assert token not in masked(text)
        assert masked(text) == text.replace(token, SECRET)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://ann:s3cr3t@db:5432/shop", "postgres://ann:<secret>@db:5432/shop"),
        ("https://:p@ss/w0rd", "https://:<secret>@ss/w0rd"),
        (f"https://{TOKEN}@git.example/a", "https://<secret>@git.example/a"),
        (f"Authorization: Bearer {TOKEN}", "Authorization: Bearer <secret>"),
        ("{'Authorization': 'Basic dXNlcjpwYXNzd29yZA=='}", "{'Authorization': 'Basic <secret>'}"),
        ("connect(password='correct horse')", "connect(password='<secret>')"),
        ('{"password": "swordfish"}', '{"password": "<secret>"}'),
        ("password=hunter2", "password=<secret>"),
        ("DB_PASSWORD=swordfish", "DB_PASSWORD=<secret>"),
        ("Server=db;Password=Tr0ub4dor&3;Database=a", "Server=db;Password=<secret>;Database=a"),
        ("AccountKey=abcDEF123456ghiJKL7890mnoPQR==;Endpoint=a", "AccountKey=<secret>;Endpoint=a"),
        ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzzz12345", "aws_secret_access_key = <secret>"),
        ("token: 9f8e7d6c5b4a39281706", "token: <secret>"),
        ("GET /a?access_token=9f8e7d6c5b4a3928&page=2", "GET /a?access_token=<secret>&page=2"),
        ("psql --password hunter2 --host db", "psql --password <secret> --host db"),
        ("api_key => 'AbC123dEf456GhI789'", "api_key => '<secret>'"),
        (
            "https://hooks.slack.com/services/" + "T000/B000/abcdefGHIJ12345",
            "https://hooks.slack.com/services/<secret>",
        ),
    ],
)
def test_a_secret_is_known_by_where_it_stands(text: str, left: str) -> None:
    assert masked(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "commit 5fc35719b9cf96ec602dbc748ff31c587a46961d",
        "order 7c1811ed-e98f-4c9c-a9f9-58c757ff494f not found",
        "image sha256:9af8c3be3a1231fe1121acb19af8c3be3a1231fe1121acb19af8c3be3a1231fe",
        "data aGVsbG8gd29ybGQ= differs",
        "password=''",
        "password=None",
        "password=$DB_PASSWORD",
        "secret: ${{ secrets.DEPLOY }}",
        "token: expired",
        "token = 'expired'",
        "Unexpected token: '}'",
        "unexpected token: identifier1",
        "assert token == None",
        "KeyError: 'api_key'",
        "password: must be 8 characters",
        "password is required",
        "max_tokens=4096",
        "Bearer token expired",
        "auth: denied",
        "monkey=banana1",
        "session=<Session at 0x7f37ea52cce0>",
        "http://shop.example:8080/a?b=c@d",
        "const skill = 'sk-illful'",
        "ValueError: no quantity",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert masked(text) == text
    assert masked(f"{text} password=hunter2") == f"{text} password=<secret>"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"a\n{BEGIN}\n{BODY}\n{END}\nz", f"a\n{BEGIN}<secret>{END}\nz"),
        (f"a\n{BEGIN}\n{BODY}", f"a\n{BEGIN}<secret>\nab12=="),  # cut: too short a line to be sure of
        (f"a line\n{BODY}\n{END}\nz", f"a line\n<secret>\n{END}\nz"),
        (
            "key: '" + f"{BEGIN}\n{BODY}\n{END}\n".replace("\n", "\\n") + "'",
            f"key: '{BEGIN}<secret>{END}\\n'",
        ),
        (f"{BEGIN}\nnot one", f"{BEGIN}\nnot one"),
        (f"nothing\n\n{END}", f"nothing\n\n{END}"),
    ],
)
def test_a_private_key_is_masked_between_its_marks_also_where_the_output_cuts_it(
    text: str, left: str
) -> None:
    assert masked(text) == left
    assert masked("-----BEGIN CERTIFICATE-----\nMIID") == "-----BEGIN CERTIFICATE-----\nMIID"


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *TOKENS,
                    BEGIN,
                    END,
                    BODY,
                    "password=",
                    "token: '",
                    "'",
                    "://u:",
                    "@",
                    "Bearer ",
                    "--secret ",
                    "\n",
                    " ",
                ]
            ),
            st.text(max_size=6),
        ),
        max_size=8,
    ).map("".join)
)
def test_masking_twice_masks_nothing_more(text: str) -> None:
    once = masked(text)
    assert masked(once) == once


@pytest.mark.parametrize(
    "piece",
    [
        "password=",
        "token: '",
        "://a:",
        "eyJ",
        "$2b$",
        "gh",
        "authorization ",
        "\\n",
        "sk-",
        "x",
        "A1",
        "E ",
        BEGIN,
        END,
    ],
)
def test_a_long_hostile_output_is_masked_in_time_linear_in_it(piece: str) -> None:
    # forty lines of two thousand characters; a pattern that were not linear would not end
    text = "\n".join([piece * (2_000 // len(piece))] * 40)
    assert masked(f"{text}\npassword='hunter2'").endswith(f"'{SECRET}'")
