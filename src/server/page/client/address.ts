// The user's choices are stored in the URL, so that a link shows the same view.

declare const location: { readonly search: string; readonly pathname: string };
declare const history: { replaceState(state: null, title: string, url: string): void };

export type Filter = 'open' | 'applied' | 'all';
export type Span = '1h' | '24h' | '7d';

export interface Choices {
  readonly show: Filter;
  readonly span: Span;
  readonly q: string;
}

const FILTERS: readonly Filter[] = ['open', 'applied', 'all'];
const SPANS: readonly Span[] = ['1h', '24h', '7d'];

export function readChoices(search: string): Choices {
  const given = new URLSearchParams(search);
  return {
    show: FILTERS.find((filter) => filter === given.get('show')) ?? 'all',
    span: SPANS.find((span) => span === given.get('span')) ?? '24h',
    q: given.get('q') ?? '',
  };
}

export function choicesNow(): Choices {
  return readChoices(location.search);
}

export function saveChoices(choices: Choices): void {
  const search = new URLSearchParams();
  if (choices.show !== 'all') search.set('show', choices.show);
  if (choices.span !== '24h') search.set('span', choices.span);
  if (choices.q !== '') search.set('q', choices.q);
  history.replaceState(null, '', search.size === 0 ? location.pathname : `${location.pathname}?${search.toString()}`);
}
