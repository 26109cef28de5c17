//! Budgets of things that a peer may do for free, but not without end: they are spent one by one, refill with time, and
//! some are earned by useful work.

use std::time::Instant;

/// A budget that refills.
#[derive(Debug)]
pub(crate) struct Budget {
    /// What may still be spent.
    left: u32,
    /// What it holds when it is full.
    most: u32,
    /// What comes back each second.
    per_second: u32,
    /// When it was last refilled; `None` while it is untouched.
    since: Option<Instant>,
}

impl Budget {
    /// A full budget of `most`, to which `per_second` come back each second.
    pub(crate) fn new(most: u32, per_second: u32) -> Self {
        Self { left: most, most, per_second, since: None }
    }

    /// Spends `amount`; says `false` when it is not there.
    pub(crate) fn spend(&mut self, amount: u32, now: Instant) -> bool {
        if self.left < amount {
            self.refill(now);
        }
        let since = self.since.get_or_insert(now);
        if self.left == self.most {
            *since = now;
        }
        match self.left.checked_sub(amount) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Gives `amount` back.
    pub(crate) fn earn(&mut self, amount: u32) {
        self.left = self.left.saturating_add(amount).min(self.most);
    }

    /// Adds what the time since the last refill has brought. Only looked at when the budget runs short, so that usual
    /// traffic pays nothing for it.
    fn refill(&mut self, now: Instant) {
        let Some(since) = self.since else { return };
        let nanos = now.saturating_duration_since(since).as_nanos();
        let came = nanos.saturating_mul(u128::from(self.per_second)) / 1_000_000_000;
        if came > 0 {
            self.earn(u32::try_from(came).unwrap_or(u32::MAX));
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests;
