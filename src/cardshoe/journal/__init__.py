"""The journal: the durable, tamper-evident record of a table (promises P2 and P6)."""

from cardshoe.journal.canonical import Entry, Record
from cardshoe.journal.chain import Head, Verdict
from cardshoe.journal.reader import JournalReader, verify
from cardshoe.journal.store import Journal, Opening
from cardshoe.journal.writer import Committed

__all__ = ["Committed", "Entry", "Head", "Journal", "JournalReader", "Opening", "Record", "Verdict", "verify"]
