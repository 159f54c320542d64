"""Rules for what machines number: addresses, processes, ports, hosts, hashes, random ids."""

from __future__ import annotations

import re

from chalkgit.failures.rule import Rule

# HRESULT, NTSTATUS and Windows' socket codes have eight digits as an address may, and are the meaning.
_CODE = r"(?:0000|0x|8[0-2]|[CDEcde]0)[0-9A-Fa-f]+"
_HOST = r"[A-Za-z][\w.-]*"
_IPV4 = r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)"


def _ipv6(found: re.Match[str]) -> str:
    """`<ip>` where it is one: Fee::add() and f64::abs are names, 12:31:99 is nothing."""
    text = found[0]
    groups = [group for group in text.split(":") if group]
    if "::" not in text:
        return "<ip>" if len(groups) == 8 else text
    plain = any(group[0].isdigit() for group in groups)
    return "<ip>" if plain and text.count("::") == 1 and len(groups) <= 7 else text


RULES = (
    Rule(
        "uuid",
        "random by definition, and ULIDs nearly; Kubernetes appends a number",
        r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:-\d+)?"
        r"|[0-7](?=[A-Z]*\d)[0-9A-HJKMNP-TV-Z]{25})(?![0-9A-Za-z])",
        "<uuid>",
        digits=True,
        ids=True,
        equal=(
            "pod 2e24e003-9ffd-4e78-852c-9dcb6cbef493-123 lost",
            "pod 7C1811ED-E98F-4C9C-A9F9-58C757FF494F lost",
        ),
        differ=("pod 2e24e003-9ffd lost", "pod 2e24e003-9ffe lost"),
    ),
    Rule(
        "trace",
        "transaction and trace ids of OpenStack and AWS",
        r"\b(?:tx[0-9a-f]{21}-[0-9a-f]{10}(?:-[\w.]+)?|1-[0-9a-f]{8}-[0-9a-f]{24})\b",
        "<hex>",
        needs=("tx", "1-"),
        digits=True,
        equal=(
            "trace 1-67891233-abcdef012345678912345678 lost",
            "trace 1-5759e988-bd862e3fe1be46a994272793 lost",
        ),
        differ=("trace 1-67 lost", "trace 1-68 lost"),
    ),
    Rule(
        "credentials",
        "who asks is not where it failed, and secrets must go",
        r"(?<=://)[^\s/'\"]+@",
        "",
        needs=("://",),
        ids=True,
        equal=("GET http://ann:s3cret@shop.example/a", "GET http://bob:other9@shop.example/a"),
        differ=("GET http://shop.example/a", "GET http://shop.example/b"),
    ),
    Rule(
        "erlang",
        "processes, references, ports and closures of the BEAM",
        r"#?(PID|Reference|Ref|Port)?<\d+(?:\.\d+){1,4}>|#(Function)<\d+\.\d+(?=[/>])",
        lambda found: "#Function<<n>" if found[2] else f"#{found[1] or 'PID'}<pid>",
        needs=("<",),
        digits=True,
        ids=True,
        equal=("held by #PID<0.117.0> #Reference<0.279.218.250>", "held by #PID<0.98.0> #Reference<0.1.2.3>"),
        differ=("held by <1>", "held by <2>"),
    ),
    Rule(
        "ipv6",
        "addresses are given out; with their port where brackets tell it",
        r"\[[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}\]:\d{1,5}\b",
        "<ip>:<port>",
        needs=("]:",),
        ids=True,
        equal=("dial [::1]:43801 refused", "dial [fe80::2]:5000 refused"),
        differ=("took [a:b]:1", "took [a:c]:1"),
    ),
    Rule(
        "ipv6-bare",
        "addresses are given out",
        rf"(?<![\w:.])(?:[0-9A-Fa-f]{{1,4}}|(?=::))(?::[0-9A-Fa-f]{{0,4}}){{2,7}}(?:(?<=:){_IPV4})?(?![\w(:.])",
        _ipv6,
        needs=("::", ":"),
        equal=("peer 2001:db8:0:1::5 hung up", "peer ::ffff:192.168.1.1 hung up"),
        differ=("Fee::add() called too early", "Fee::dec() called too early"),
    ),
    Rule(
        "ipv4-port",
        "a port after an address is free or given out",
        rf"(?<![\w.])({_IPV4}):\d{{1,5}}(?!\d)",
        r"\1:<port>",
        needs=(".",),
        digits=True,
        ids=True,
        equal=("connect 127.0.0.1:43801: refused", "connect 127.0.0.1:45217: refused"),
        differ=("connect 127.0.0.1: refused", "connect 127.0.0.1: reset"),
    ),
    Rule(
        "ipv4",
        "addresses are given out; this host and any host are not",
        rf"(?<![\w.-])(?!127\.|0\.0\.0\.0){_IPV4}(?![\w-]|\.\d)",
        "<ip>",
        needs=(".",),
        digits=True,
        ids=True,
        equal=("peer 10.0.0.5 hung up", "peer 172.17.0.2 hung up"),
        differ=("needs libshop 3.9.1", "needs libshop 3.9.2"),
    ),
    Rule(
        "url-port",
        "a port in a URL",
        rf"(?<=://)({_HOST}|<ip>):\d{{1,5}}(?!\d)",
        r"\1:<port>",
        needs=("://",),
        digits=True,
        ids=True,
        equal=("GET http://shop.example:8000/health", "GET http://shop.example:43121/health"),
        differ=("GET http://shop.example:8000/health", "GET http://cart.example:8000/health"),
    ),
    Rule(
        "host-port",
        "a port after a host, by the words before it",
        r"(?i:\b(localhost|(?:tcp[46]?|udp|connect(?:ed|ing|ion)?(?: to)?|dial(?:ing)?|listen(?:ing)?(?: on)?"
        rf"|bind(?:ing)?(?: to)?|host|server|peer|econn\w+|etimedout) {_HOST})):\d{{2,5}}(?!\d)",
        r"\1:<port>",
        needs=(":",),
        digits=True,
        ids=True,
        equal=("dial localhost:8080 refused", "dial localhost:43121 refused"),
        differ=("scale db:54 refused", "scale db:55 refused"),
    ),
    Rule(
        "port",
        "a port that is called one, and one out of the range of free ports",
        r"(?i:\b(ports?(?:['\"]?[:=]| |\s#)\s?)\d{1,5}\b)"
        r"|(?<![^\s'\"(])(:::?|:)(?:\d{5}|(?<=::)\d{1,5})\b"
        r"|(\('(?:[\d.]+|localhost)', )\d{1,5}(?=\))",
        lambda found: f"{found[1] or found[2] or found[3]}<port>",
        digits=True,
        ids=True,
        equal=('server at "127.0.0.1", port 43801 failed', 'server at "127.0.0.1", port 5432 failed'),
        differ=("listen :80 failed", "listen :81 failed"),
    ),
    Rule(
        "process",
        "processes, threads and workers are numbered as they come",
        r"(?i:\b(pid|tid|process|thread|goroutine|worker|child|parent|lwp)"
        r"((?: ?id)?(?: ?[:=#-] ?| |\())\d+\b)",
        r"\1\2<pid>",
        digits=True,
        equal=("worker pid 11582 exited with code 3", "worker pid 9 exited with code 3"),
        differ=("worker exited with code 3", "worker exited with code 4"),
    ),
    Rule(
        "thread-name",
        "pools number their threads and processes; xdist its workers",
        r"\b((?:Thread|Process|ForkProcess|SpawnProcess|\w*PoolWorker|\w*PoolExecutor|pool|worker|Worker)-)\d+(?:(-thread-|_|:)\d+)?\b"
        r"|(?<![\w-])gw\d{1,3}\b",
        lambda found: "gw<n>" if found[1] is None else f"{found[1]}<n>{found[2] + '<n>' if found[2] else ''}",
        needs=("-", "gw"),
        digits=True,
        equal=(
            "ForkPoolWorker-3 died in pool-1-thread-3 on gw0",
            "ForkPoolWorker-1 died in pool-2-thread-9 on gw11",
        ),
        differ=("ForkPoolWorker died", "SpawnPoolWorker died"),
    ),
    Rule(
        "thread-panic",
        "Rust tells the thread's number since 1.91",
        r"(?<=['`>]) \(\d+\)(?= (?:has )?(?:panicked|overflowed))",
        "",
        needs=("panicked", "overflowed"),
        digits=True,
        equal=("thread 'cart' (18926) panicked", "thread 'cart' panicked"),
        differ=("thread 'cart' (18926) parked", "thread 'cart' (18927) parked"),
    ),
    Rule(
        "seed",
        "the seed of a random order or of random data",
        r"(?i:\b((?:random[_ -]?)?seed(?:ed)?(?: with(?: seed)?)?(?: ?[:=] ?| )))(?:0x[0-9a-fA-F]+|\d+)\b",
        r"\1<n>",
        needs=("seed", "Seed", "SEED"),
        digits=True,
        equal=("Randomized with seed 83", "Randomized with seed 61004"),
        differ=("Randomized with weed 83", "Randomized with weed 84"),
    ),
    Rule(
        "address-at",
        "where an object lies in memory",
        r"(?i:\b(at|pointer|ptr|addr(?:ess)?|id)([ =:]+))0x[0-9a-fA-F]+\b",
        r"\1\2<addr>",
        needs=("0x", "0X"),
        ids=True,
        equal=("object at 0xC0000010 was freed", "object at 0x7f37ea52cce0 was freed"),
        differ=("failed with 0x9af8", "failed with 0x9af9"),
    ),
    Rule(
        "address",
        "six digits and more are an address; fewer a code, and so are eight that begin as Windows' codes do",
        rf"\b0[xX](?!{_CODE}\b(?<=0[xX][0-9A-Fa-f]{{8}}))[0-9A-Fa-f]{{6,16}}\b",
        "<addr>",
        needs=("0x", "0X"),
        ids=True,
        equal=("map[a:0xc00001818a b:2]", "map[a:0xc0000181f8 b:2]"),
        differ=("failed with 0x80070005", "failed with 0x80070002"),
    ),
    Rule(
        "identity",
        "Java's identity hash after a class, PHP's number of an object, Ruby's old object ids",
        r"(?<=[\w\];])@(?=[a-f]*\d)[0-9a-f]{5,8}(?![\w@-]|\.\w)"
        r"|(?<=Object )#\d+|(?<=[a-z])#\d+(?= \()|(?<=#<)([A-Z][\w:]*):\d+(?=[ >])",
        lambda found: f"{found[1]}:<addr>" if found[1] else f"{found[0][0]}<addr>",
        needs=("@", "#"),
        digits=True,
        ids=True,
        equal=("no cart shop.Cart@1a2b3c4d", "no cart shop.Cart@13c78c0"),
        differ=("mail to ann@example.org", "mail to bob@example.org"),
    ),
    Rule(
        "hex",
        "hashes and random tokens: ten digits and more, of one case, digits and letters among them",
        r"(?<![0-9A-Za-z])(?:(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{10,}|(?=[A-F]*\d)(?=\d*[A-F])[0-9A-F]{10,})(?![0-9A-Za-z])",
        "<hex>",
        digits=True,
        equal=("image abcd1234eeee gone", "image 5fc35719b9cf96ec602dbc748ff31c587a46961d gone"),
        differ=("unknown word defaced", "unknown word effaced"),
    ),
    Rule(
        "bracketed-process",
        "a process number before the message, as sanitizers, Mozilla and services print it",
        r"^(?:\[\d+\] |PID \d+ \| |GECKO\(\d+\) \| |==\d+== ?)+(?=\S)",
        "",
        digits=True,
        equal=("GECKO(3166) | Assertion failure: parent", "GECKO(6227) | Assertion failure: parent"),
        differ=("[a] boom", "[b] boom"),
    ),
)
