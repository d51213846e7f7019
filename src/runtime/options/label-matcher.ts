/**
 * Exactly one PromQL label matcher with nothing after its value, so that it cannot end the selector that it is inserted into. The chart's
 * schema uses the pattern as well, which supports neither look-ahead nor flags.
 */
export const LABEL_MATCHER = '^\\s*[a-zA-Z_][a-zA-Z0-9_]*\\s*(=~|!~|!=|=)\\s*"([^"\\\\\\n\\r]|\\\\[^\\n\\r])*"\\s*$';

/** Text after "a label matcher such as". */
export const LABEL_MATCHER_EXAMPLE = 'cluster="prod-eu" (=, !=, =~ or !~; the value in double quotes)';
