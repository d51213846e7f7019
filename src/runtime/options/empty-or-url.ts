/** Whether a setting is empty or a URL with one of the schemes. Compares the scheme as well, because `host:443` parses as a URL with the scheme `host:`. */
export function isEmptyOrUrl(text: string, schemes: readonly string[]): boolean {
  return text === '' || (URL.canParse(text) && schemes.includes(new URL(text).protocol));
}
