import { ApiFailure } from './api.ts';
import { h, replaceContent, type PageElement } from './dom.ts';
import { icon } from './icons.ts';

/** State of a card's data. Loaded data stays during reloads and after failures. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly failure: ApiFailure | null;
}

export const NOT_YET: Loaded<never> = { data: null, failure: null };

/** Loads data; after a failure the previous data stays. */
export async function loaded<T>(before: Loaded<T>, load: () => Promise<T>): Promise<Loaded<T>> {
  try {
    return { data: await load(), failure: null };
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : new ApiFailure('page_fault', 'The page could not process the answer.');
    return { data: before.data, failure };
  }
}

/** Draws a card's body: placeholders while loading, the error with a retry button after a failure, else its content. */
export function drawCard<T>(
  place: PageElement,
  what: string,
  state: Loaded<T>,
  retry: () => void,
  draw: (data: T) => readonly PageElement[],
): void {
  const trouble = state.failure === null ? [] : [errorOf(what, state.failure, retry)];
  const content = state.data === null ? (state.failure === null ? placeholders() : []) : draw(state.data);
  place.setAttribute('aria-busy', String(state.data === null && state.failure === null));
  replaceContent(place, ...trouble, ...content);
}

function errorOf(what: string, failure: ApiFailure, retry: () => void): PageElement {
  return h(
    'div',
    { class: 'trouble', role: 'alert' },
    h('div', { class: 'row' }, icon('octagon'), h('span', {}, `${what} could not be loaded`)),
    h('p', { class: 'small' }, `${failure.message} (${failure.code})`),
    h('button', { class: 'btn sm', type: 'button', 'data-key': `retry-${what}`, onclick: retry }, 'Retry'),
  );
}

function placeholders(): readonly PageElement[] {
  return [h('div', { class: 'bone tall' }), h('div', { class: 'bone' }), h('div', { class: 'bone half' })];
}

/** An empty state: what will appear here, why it is empty, and what comes next. */
export function emptyState(title: string, why: string): PageElement {
  return h('div', { class: 'empty' }, h('p', { class: 'strong' }, title), h('p', { class: 'small' }, why));
}
