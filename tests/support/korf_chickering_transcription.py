"""A literal transcription of Korf and Chickering's search."""

from best_first_transcription import Transcription


class Completed(Transcription):
    """Algorithm 12, but of equal open actions the one followed last is followed, else the first, and an action keeps
    what it knows unless the iteration changed its child or the child proves something new.
    """

    def completed_step(self, s, iteration):
        a = self.completed_best_action_dual(s, [a for a in self.actions(s) if self.ra[s, a] == 0])
        self.na[s, a] = self.na.get((s, a), 0) + 1
        child = self.after(s, a)
        before = (self.r[child], self.c[child], self.v[child]) if child in self.S else None
        found = iteration(child)
        if found != before or found[:2] != (self.ra[s, a], self.ca[s, a]):
            self.ra[s, a], self.ca[s, a], self.va[s, a] = found

    def completed_best_action_dual(self, s, A):
        best = self.extreme(s)((self.ca[s, a], self.va[s, a]) for a in A)
        tied = [a for a in A if (self.ca[s, a], self.va[s, a]) == best]
        last = getattr(self, "last", {})
        self.last = last | {s: last[s] if last.get(s) in tied else tied[0]}
        return self.last[s]
