"""The lexical arm: BM25 over the words of the records. tantivy's only user.

A document is one record file: its path and all its words. tantivy says ValueError for
a busy lock, a bad query and a corrupt index alike, so errors are translated at the call.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import tantivy

from chalkgit import thresholds
from chalkgit.index import table, words
from chalkgit.index.texts import Document

VERSION = str(getattr(tantivy, "__version__", "unknown"))

_PATTERN = r"[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?(?:\+\+|#)?"
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
        self._analyser = _analyser()
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
            self._searcher = self._index.searcher()
            self._schema = self._index.schema
        except BaseException as error:
            raise _translated(error) from error

    @property
    def count(self) -> int:
        return int(self._searcher.num_docs)

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
            self._searcher = self._index.searcher()
        except BaseException as error:
            raise _translated(error) from error

    def analyse(self, text: str) -> list[str]:
        """The words of a text in order, stemmed, names taken apart."""
        return [word for word in self._analyser.analyze(words.parts(text)) if len(word) <= _LONGEST]

    def content(self, text: str) -> list[str]:
        """The distinct words that carry meaning; all of them where nothing else is left."""
        said = list(dict.fromkeys(self.analyse(text)))
        return [word for word in said if word not in self._stopped] or said

    def whole_names(self, text: str) -> list[str]:
        """The compound names of a text as single words."""
        # a name of any length is data, and the automaton for slips in a long one takes half a minute to make
        names = [name for name in words.wholes(text) if len(name) <= _LONGEST]
        return self._analyser.analyze(" ".join(names)) if names else []

    def frequency(self, word: str) -> int:
        """How many documents hold the word."""
        # not doc_freq, which counts deleted documents: an edited index must weigh as a rebuilt one does
        try:
            query = tantivy.Query.term_query(self._schema, "body", word, "basic")
            return int(getattr(self._searcher.search(query, 1, count=True), "count", 0) or 0)
        except BaseException as error:
            raise _translated(error) from error

    def search(self, text: str, most: int) -> list[tuple[str, float]]:
        """(path, BM25) of the `most` best documents, best first; ties by path."""
        asked = list(dict.fromkeys([*self.content(text), *self.whole_names(text)]))
        if not asked or not self.count:
            return []
        try:
            query = tantivy.Query.boolean_query([(tantivy.Occur.Should, part) for part in self._parts(asked)])
            hits = self._searcher.search(query, most).hits
            found = [(self._searcher.doc(address)["path"][0], float(score)) for score, address in hits]
        except BaseException as error:
            raise _translated(error) from error
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))

    def _parts(self, asked: Sequence[str]) -> list[tantivy.Query]:
        parts = []
        for word in asked[: thresholds.QUERY_WORDS]:
            if self.frequency(word):
                parts.append(tantivy.Query.term_query(self._schema, "body", word, "freq"))
            elif len(word) >= thresholds.TYPO_LETTERS:
                # nobody writes this word here: perhaps a slip of one that is
                parts.append(tantivy.Query.fuzzy_term_query(self._schema, "body", word, 1, True))
        return parts or [tantivy.Query.empty_query()]

    def _document(self, document: Document) -> tantivy.Document:
        made = tantivy.Document()
        made.add_text("path", document.path)
        text = document.body
        made.add_text("body", words.parts(text) + " " + " ".join(words.wholes(text)))
        return made


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("body", tokenizer_name="words", index_option="freq")
    return builder.build()


def _analyser() -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.regex(_PATTERN))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )
