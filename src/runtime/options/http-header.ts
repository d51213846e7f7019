/** A header as `Name: value`, with both captured. A value has no line break, so that it cannot add another header. */
export const HTTP_HEADER = "^\\s*([!#$%&'*+.^_`|~\\w-]+)\\s*:\\s*([\\t\\x20-\\x7e]*?)\\s*$";
