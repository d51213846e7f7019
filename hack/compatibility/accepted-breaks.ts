// Breaks with the previous version that are made on purpose.

/** By the line that the comparison prints: why it is made, and what the version that does not expect it does then. */
export const ACCEPTED_BREAKS: Readonly<Record<string, string>> = {};
