import { s, type PageElement } from './dom.ts';

/** SVG paths in a 16 × 16 view box. */
const PATHS = {
  check: 'M3 8.5 6.5 12 13 4.5',
  clock: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 5v3.2l2.2 1.4',
  triangle: 'M8 2.4 14 13H2zM8 6.6v3M8 11.4v.1',
  octagon: 'M5.6 2.2h4.8l3.4 3.4v4.8l-3.4 3.4H5.6l-3.4-3.4V5.6zM8 5v3.6M8 11v.1',
  circle: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 7.4V11M8 5v.1',
  down: 'M8 2.5v8M4.6 7.2 8 10.6l3.4-3.4M3 13.5h10',
  up: 'M8 13.5v-8M4.6 8.8 8 5.4l3.4 3.4M3 2.5h10',
  dots: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  back: 'M6 3 2.5 6.500 6 10M2.500 6.500H10a3.500 3.500 0 0 1 0 7H7',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  theme: 'M8 2.2a5.8 5.8 0 1 0 0 11.6zM8 2.2a5.8 5.8 0 0 1 0 11.6',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside text. Without text its parent needs a label. */
export function icon(name: IconName, small = false): PageElement {
  return s('svg', { class: small ? 'i s' : 'i', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, s('path', { d: PATHS[name] }));
}
