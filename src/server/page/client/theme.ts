import { byId, page } from './dom.ts';

declare const localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
declare const matchMedia: (query: string) => { readonly matches: boolean };

const KEY = 'evenkeel-theme';

/** The theme that a person chose, else the system's; the button turns it round. */
export function startTheme(): void {
  const kept = stored();
  const theme = kept ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
  page().documentElement.dataset['theme'] = theme;
  byId('theme').addEventListener('click', () => {
    const root = page().documentElement.dataset;
    root['theme'] = root['theme'] === 'dark' ? 'light' : 'dark';
    keep(root['theme']);
  });
}

// A browser may refuse storage altogether; the page works without.
function stored(): string | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : null;
  } catch {
    return null;
  }
}

function keep(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Kept for this page view alone.
  }
}
