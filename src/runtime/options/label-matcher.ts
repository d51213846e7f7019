/**
 * One label matcher of PromQL, whole: nothing after the value, so that it can never end the selector that it is put into. Also a
 * pattern of the chart's schema, which knows neither look-ahead nor flags.
 */
export const LABEL_MATCHER = '^\\s*[a-zA-Z_][a-zA-Z0-9_]*\\s*(=~|!~|!=|=)\\s*"([^"\\\\\\n\\r]|\\\\[^\\n\\r])*"\\s*$';

/** Completes "a label matcher such as …". */
export const LABEL_MATCHER_EXAMPLE = 'cluster="prod-eu" (=, !=, =~ or !~; the value in double quotes)';
