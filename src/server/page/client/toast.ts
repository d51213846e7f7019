import { byId } from './dom.ts';

/** A sentence that stays for a while and is read out. */
export function toast(sentence: string): void {
  const place = byId('toast');
  place.textContent = sentence;
  place.hidden = false;
  setTimeout(() => {
    if (place.textContent === sentence) place.hidden = true;
  }, 10_000);
}
