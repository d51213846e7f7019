// Breaks with the previous version that are made on purpose.

/** By the line that the comparison prints: why it is made, and what the version that does not expect it does then. */
export const ACCEPTED_BREAKS: Readonly<Record<string, string>> = {};

/**
 * Versions whose code is not expected to run on what this one leaves, by the start of their commit, with the reason. Each needs
 * a line in the release notes: who runs it cannot roll back.
 */
export const NO_ROLLBACK_TO: Readonly<Record<string, string>> = {};
