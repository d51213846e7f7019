import { ApiFailure } from './api.ts';
import { h, replaceContent, type PageElement } from './dom.ts';
import { icon } from './icons.ts';

/** What a card knows of what it shows. Known data stays while new data loads, and when loading fails. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly failure: ApiFailure | null;
}

export const NOT_YET: Loaded<never> = { data: null, failure: null };

/** Loads a thing, keeping what was known where that fails. */
export async function loaded<T>(before: Loaded<T>, load: () => Promise<T>): Promise<Loaded<T>> {
  try {
    return { data: await load(), failure: null };
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : new ApiFailure('page_fault', 'The page could not make sense of the answer.');
    return { data: before.data, failure };
  }
}

/** Draws a card's body: bones while nothing is known, the trouble with a way out where loading failed, else its content. */
export function drawCard<T>(
  place: PageElement,
  what: string,
  state: Loaded<T>,
  retry: () => void,
  draw: (data: T) => readonly PageElement[],
): void {
  const trouble = state.failure === null ? [] : [troubleOf(what, state.failure, retry)];
  const content = state.data === null ? (state.failure === null ? bones() : []) : draw(state.data);
  place.setAttribute('aria-busy', String(state.data === null && state.failure === null));
  replaceContent(place, ...trouble, ...content);
}

function troubleOf(what: string, failure: ApiFailure, retry: () => void): PageElement {
  return h(
    'div',
    { class: 'trouble', role: 'alert' },
    h('div', { class: 'row' }, icon('octagon'), h('span', {}, `${what} could not be read`)),
    h('p', { class: 'small' }, `${failure.message} (${failure.code})`),
    h('button', { class: 'btn sm', type: 'button', 'data-key': `retry-${what}`, onclick: retry }, 'Retry'),
  );
}

function bones(): readonly PageElement[] {
  return [h('div', { class: 'bone tall' }), h('div', { class: 'bone' }), h('div', { class: 'bone half' })];
}

/** An empty state: what will stand here, why it is empty, and what comes next. */
export function emptyState(title: string, why: string): PageElement {
  return h('div', { class: 'empty' }, h('p', { class: 'strong' }, title), h('p', { class: 'small' }, why));
}
