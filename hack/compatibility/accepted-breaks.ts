// Intended breaks with the previous version.

/** By the line that the comparison prints: the reason, and what the version does that does not expect it. */
export const ACCEPTED_BREAKS: Readonly<Record<string, string>> = {};

/** v1alpha1 was never released, so that no code reads the former names. */
const RENAMED =
  'status fields of Recommendation have new names (such as approvedBaseline and observedReductions): neither version reads those of the other';

/**
 * Versions that cannot run on the data of this one, by a prefix of their commit, with the reason. Each needs a line in the release notes,
 * because their users cannot roll back.
 */
export const NO_ROLLBACK_TO: Readonly<Record<string, string>> = {
  bd35465e: RENAMED,
  a1150375: RENAMED,
  '39b6f127': RENAMED,
};
