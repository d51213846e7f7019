import { byId, page } from './dom.ts';

declare const localStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
declare const matchMedia: (query: string) => { readonly matches: boolean };

const KEY = 'evenkeel-theme';

/** Applies the theme chosen by the user, else the system's; the button switches it. */
export function startTheme(): void {
  const saved = readTheme();
  const theme = saved ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark');
  page().documentElement.dataset['theme'] = theme;
  byId('theme').addEventListener('click', () => {
    const root = page().documentElement.dataset;
    root['theme'] = root['theme'] === 'dark' ? 'light' : 'dark';
    saveTheme(root['theme']);
  });
}

// The browser may block storage; the page works without it.
function readTheme(): string | null {
  try {
    const theme = localStorage.getItem(KEY);
    return theme === 'light' || theme === 'dark' ? theme : null;
  } catch {
    return null;
  }
}

function saveTheme(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice applies to this page view only.
  }
}
