import { s, type PageElement } from '../dom.ts';

/** Request, usage, recommendation and limit of one resource of one replica. */
export interface Bullet {
  readonly request: number | null;
  readonly used: number | null;
  readonly proposed: number | null;
  readonly limit: number | null;
  readonly usedWord: string;
}

const WIDTH = 132;

/** Draws the request as a pale bar, usage inside it, the recommendation as a tick and the limit as a dotted tick. */
export function bulletBar(bullet: Bullet, scale: number, format: (value: number | null) => string): PageElement {
  const at = (value: number): number => Math.round(Math.min(1, value / scale) * WIDTH * 10) / 10;
  const { request, used, proposed, limit } = bullet;
  const label = [
    `requests ${format(request)}`,
    used === null ? null : `${bullet.usedWord} ${format(used)}`,
    proposed === null ? null : `recommended ${format(proposed)}`,
    limit === null ? null : `limit ${format(limit)}`,
  ];
  const words = label.filter((word) => word !== null).join(', ');
  return s(
    'svg',
    { class: 'bullet', viewBox: `0 0 ${WIDTH} 14`, role: 'img', 'aria-label': words },
    s('title', {}, words),
    request === null ? null : s('rect', { class: 'rq', x: 0, y: 2, width: at(request), height: 10, rx: 2 }),
    used === null ? null : s('rect', { class: 'us', x: 0, y: 4.5, width: at(used), height: 5, rx: 1 }),
    limit === null || limit > scale ? null : s('line', { class: 'li', x1: at(limit), x2: at(limit), y1: 0, y2: 14 }),
    proposed === null ? null : s('rect', { class: 'pr', x: Math.max(0, at(proposed) - 1), y: 0, width: 2, height: 14 }),
  );
}
