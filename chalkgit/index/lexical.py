"""The lexical arm: BM25 over the words of the records. tantivy's only user.

A document is one record file: its path and all its words. tantivy says ValueError for
a busy lock, a bad query and a corrupt index alike, so errors are translated at the call.

Its statistics count deleted documents until it merges them away, and know nothing of those that came late.
Each word is therefore weighed by its exact count, so that an edited index ranks as one built anew does. The
average length alone is that of all documents written.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

import tantivy

from chalkgit import thresholds
from chalkgit.index import table, words
from chalkgit.index.late import Late, rarity
from chalkgit.index.readings import Reader
from chalkgit.index.texts import Document
from chalkgit.store import sqlite

TYPE_CHECKING = False  # importing typing costs half a bare interpreter
if TYPE_CHECKING:
    from chalkgit.index.readings import Reading

VERSION = str(getattr(tantivy, "__version__", "unknown"))

_PATTERN = r"\p{N}+(?:\.\p{N}+)+|[\p{L}\p{M}\p{N}]+(?:'\p{L}+)?(?:\+\+|#)?"
# each of the others knows the words of its own script alone
_STEMMERS = ("english", "russian", "greek", "arabic")
_LONGEST = 64


class Damaged(table.Damaged):
    """The index cannot be used: it is rebuilt."""


def _translated(error: BaseException) -> BaseException:
    """What tantivy says of files that it cannot use, as Damaged; anything else as it is.

    A panic of its Rust code reaches Python as a BaseException of a class that has no importable name.
    """
    told = isinstance(error, (ValueError, OSError)) and not isinstance(error, table.Damaged)
    return Damaged(str(error)) if told or type(error).__name__ == "PanicException" else error


class Lexical:
    """An index in a folder, or in memory where `folder` is None."""

    def __init__(self, folder: str | None, *, create: bool = False) -> None:
        self._analyser, self._plain = _analyser(*_STEMMERS), _analyser()
        self._late: Late | None = None
        self._stopped = frozenset(self._analyser.analyze(thresholds.STOP_WORDS))
        try:
            if folder is None:
                self._index = tantivy.Index(_schema())
            elif create:
                os.makedirs(folder)
                self._index = tantivy.Index(_schema(), path=folder)
            else:
                # an index without meta.json would open empty
                if not os.path.isfile(os.path.join(folder, "meta.json")):
                    raise Damaged(folder)
                self._index = tantivy.Index.open(folder)
            self._index.register_tokenizer("words", self._analyser)
            self._schema = self._index.schema
            self._look()
        except BaseException as error:
            raise _translated(error) from error

    def _look(self) -> None:
        self._late = None
        self._read: tuple[str, dict[str, tuple[Reading, ...]]] = ("", {})
        self._late_words: set[str] = set()
        self._searcher = self._index.searcher()
        self._documents = int(self._searcher.doc_freq("all", "1"))  # with the deleted ones
        self._count = self.written

    @property
    def written(self) -> int:
        """How many documents tantivy holds."""
        return int(self._searcher.num_docs)

    @property
    def count(self) -> int:
        """How many documents are searched: those written, and those that came late."""
        return self._count

    def take(self, rows: Sequence[tuple[str, str | None]]) -> None:
        """Let these files count as they are, though they are not written: (path, text), or None for gone."""
        self._late, self._count = None, self.written
        self._read, self._late_words = ("", {}), set()
        if rows:
            late = Late(rows, self._late_tokens)
            of_path = [tantivy.Query.term_query(self._schema, "path", path, "basic") for path in late.paths]
            # a union of terms: `term_set_query` takes .2 ms to prepare, this 2 microseconds a path
            self._stale = _any(of_path)
            self._late, self._count = late, self.written - self._counted(self._stale) + late.count

    def _late_tokens(self, text: str) -> list[str]:
        said = self._analyser.analyze(_taken(text))
        self._late_words.update(said)
        return said

    def write(self, removed: Iterable[str], added: Iterable[Document]) -> None:
        """Take files out and put files in, as one commit."""
        try:
            writer = self._index.writer(heap_size=thresholds.INDEX_HEAP_BYTES, num_threads=1)
            for path in removed:
                writer.delete_documents_by_term("path", path)
            for document in added:
                writer.add_document(self._document(document))
            writer.commit()
            writer.wait_merging_threads()
            self._index.reload()
            self._look()
        except BaseException as error:
            raise _translated(error) from error

    def analyse(self, text: str) -> list[str]:
        """The words of a text in order, stemmed, names taken apart."""
        return [word for word in self._analyser.analyze(words.parts(text)) if len(word) <= _LONGEST]

    def content(self, text: str) -> list[str]:
        """The distinct words that carry meaning; all of them where nothing else is left."""
        said = list(dict.fromkeys(self.analyse(text)))
        return [word for word in said if word not in self._stopped] or said

    def stopped(self, word: str) -> bool:
        """Whether any two texts share this analysed word, so that it says nothing."""
        return word in self._stopped

    def whole_names(self, text: str) -> list[str]:
        """The compound names of a text as single words."""
        # a name of any length is data, and the automaton for slips in a long one takes half a minute to make
        names = [name for name in words.wholes(text) if len(name) <= _LONGEST]
        return self._analyser.analyze(" ".join(names)) if names else []

    def readings(self, text: str) -> dict[str, tuple[Reading, ...]]:
        """What the words of `content` may stand for among those that records hold: (word, …) for one that
        is written otherwise there. Words that have no other reading are not named."""
        if text != self._read[0]:
            taken = words.parts(text[: thresholds.READ_CHARACTERS])
            said = zip(self._plain.analyze(taken), self._analyser.analyze(taken), strict=True)
            some = [pair for pair in said if len(pair[1]) <= _LONGEST]
            asked = self.content(text)[: thresholds.QUERY_WORDS]
            reader = Reader(self.frequency, self._stems, self._beginning)
            self._read = text, reader.readings(some, asked)
        return self._read[1]

    def _stems(self, forms: Iterable[str]) -> list[str]:
        return self._analyser.analyze(" ".join(forms))

    def _beginning(self, start: str) -> list[str]:
        late = sorted(word for word in self._late_words if word.startswith(start))
        return [*late, *(word for word, _ in self._searcher.terms_with_prefix("body", start))]

    def frequency(self, word: str) -> int:
        """How many documents hold the word."""
        try:
            # `doc_freq` counts deleted documents; quickly no for the hundreds of words that might be meant
            count, term = int(self._searcher.doc_freq("body", word)), self._term(word)
            if count and self._documents != self.written:
                count = self._counted(term)
            if self._late is None or not count:
                return count if self._late is None else self._late.frequency(word)
            return count - self._counted(_all([term, self._stale])) + self._late.frequency(word)
        except BaseException as error:
            raise _translated(error) from error

    def search(self, text: str, most: int) -> list[tuple[str, float]]:
        """(path, BM25) of the `most` best documents, best first; ties by path."""
        weights = self._asked(text) if self.count else {}
        if not weights:
            return []
        try:
            parts, scores = self._parts(weights)
            hits = self._searcher.search(self._alive(parts), most).hits if parts else ()
            found = [(self._searcher.doc(address)["path"][0], float(score)) for score, address in hits]
        except BaseException as error:
            raise _translated(error) from error
        return sorted([*found, *scores.items()], key=lambda hit: (-hit[1], hit[0]))[:most]

    def scores(self, text: str, bodies: Mapping[str, str]) -> dict[str, float]:
        """BM25 of these documents alone: as tantivy's, but that no other document's length has a part.

        tantivy's average counts deleted documents, so that it differs with how the index came to be.
        """
        found = Late(bodies.items(), lambda body: self._analyser.analyze(_taken(body)))
        scores = dict.fromkeys(bodies, 0.0)
        for word, share in self._asked(text).items():
            if holding := found.holding(word):
                weight = share * rarity(self.frequency(word), self.count)
                for path in holding:
                    scores[path] += found.bm25(path, word, weight, thresholds.USUAL_WORDS)
        return scores

    def _asked(self, text: str) -> dict[str, float]:
        """What each word of a question counts, and each that it may stand for."""
        asked = list(dict.fromkeys([*self.content(text), *self.whole_names(text)]))[: thresholds.QUERY_WORDS]
        weights = dict.fromkeys(asked, 1.0)
        for readings in self.readings(text).values() if asked else ():
            for word in (word for reading in readings for word in reading):
                weights.setdefault(word, thresholds.READING_WEIGHT)
        return weights

    def _parts(self, asked: Mapping[str, float]) -> tuple[list[tantivy.Query], dict[str, float]]:
        """What tantivy is asked, and the scores of those that came late. asked: what each word counts."""
        parts, scores = [], dict[str, float]()
        average, late = 0.0, self._late
        for word, share in asked.items():
            count = self.frequency(word)
            if not count:
                continue
            weight, written = share * rarity(count, self.count), int(self._searcher.doc_freq("body", word))
            if written:
                # weighed by tantivy with documents that are deleted, or without those that came late
                off = share != 1 or written != count or self._documents != self.count
                part = self._term(word)
                boost = weight / rarity(written, self._documents)
                parts.append(tantivy.Query.boost_query(part, boost) if off else part)
            for path in late.holding(word) if late is not None else ():
                assert late is not None
                average = average or self._average(list(asked))
                scores[path] = scores.get(path, 0.0) + late.bm25(path, word, weight, average)
        return parts, scores

    def _term(self, word: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, "body", word, "freq")

    def _alive(self, parts: Sequence[tantivy.Query]) -> tantivy.Query:
        """Any of the parts, in documents that say what their files say."""
        if self._late is None:
            return _any(parts)
        must, must_not = tantivy.Occur.Must, tantivy.Occur.MustNot
        return tantivy.Query.boolean_query([(must, _any(parts)), (must_not, self._stale)])

    def _counted(self, query: tantivy.Query) -> int:
        return int(getattr(self._searcher.search(query, 1, count=True), "count", 0) or 0)

    def _average(self, asked: Sequence[str]) -> float:
        """The average length of a document, which tantivy tells in an explanation alone."""
        for word in asked:
            query = self._term(word)
            for _, address in self._searcher.search(query, 1).hits:
                told = sqlite.json_value(query.explain(self._searcher, address).to_json())
                inner = [factor for part in told["details"] for factor in part.get("details", ())]
                return next(float(f["value"]) for f in inner if f["description"].startswith("avgdl"))
        assert self._late is not None
        return self._late.average()

    def _document(self, document: Document) -> tantivy.Document:
        made = tantivy.Document()
        made.add_text("path", document.path)
        made.add_text("body", _taken(document.body))
        made.add_text("all", "1")
        return made


def _any(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def _all(queries: Iterable[tantivy.Query]) -> tantivy.Query:
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])


def _taken(text: str) -> str:
    """A record's text as the analyser takes it in."""
    return " ".join((words.parts(text), *words.wholes(text), *words.ends(text)))


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="words", index_option="freq")
    builder.add_text_field("all", tokenizer_name="raw", index_option="basic")
    return builder.build()


def _analyser(*stemmers: str) -> tantivy.TextAnalyzer:
    made = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_PATTERN))
    made = made.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.ascii_fold())
    for language in stemmers:
        made = made.filter(tantivy.Filter.stemmer(language))
    return made.build()
