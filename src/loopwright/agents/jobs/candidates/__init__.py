"""Finding sentences that may state a requirement, in German and English, by patterns that are data."""

from loopwright.agents.jobs.candidates.identifying import Candidate, Mode, candidates_of
from loopwright.agents.jobs.candidates.sentences import Sentence, sentences_of

__all__ = ["Candidate", "Mode", "Sentence", "candidates_of", "sentences_of"]
