import type { Cluster } from '../../../../apis/http/types.generated.ts';
import { h, styled, type PageElement } from '../dom.ts';

/** Scores below this are drawn in amber. */
const LOW = 80;

/** Draws the parts of the health score, with the reason where points are lost. */
export function healthParts({ parts }: Cluster['health']): readonly PageElement[] {
  return [h('ul', { class: 'parts' }, ...parts.map(part))];
}

function part({ name, score, reason }: Cluster['health']['parts'][number]): PageElement {
  const bar = styled(h('i', { class: score !== null && score < LOW ? 'lo' : '' }), { width: `${score ?? 0}%` });
  return h(
    'li',
    { title: reason },
    h('span', {}, name),
    h('span', { class: 'bar', role: 'img', 'aria-label': score === null ? `${name}: unknown` : `${name}: ${score} of 100` }, bar),
    h('span', { class: 'num' }, score === null ? '—' : String(score)),
    score !== null && score >= 90 ? null : h('p', {}, reason),
  );
}
