import { byId } from './dom.ts';

/** Shows a message for 10 s, which screen readers announce. */
export function toast(sentence: string): void {
  const place = byId('toast');
  place.textContent = sentence;
  place.hidden = false;
  setTimeout(() => {
    if (place.textContent === sentence) place.hidden = true;
  }, 10_000);
}
