/** A header as `Name: value`, with both captured. Nothing that could begin another header is part of a value. */
export const HTTP_HEADER = "^\\s*([!#$%&'*+.^_`|~\\w-]+)\\s*:\\s*([\\t\\x20-\\x7e]*?)\\s*$";
