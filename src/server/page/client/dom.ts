// Types of the browser API that the page uses: other code is Node.js and must not see browser globals. Elements are created by `h` and `s`,
// never from strings, so data from the cluster is never parsed as markup.

/** An element of the page. */
export interface PageElement {
  readonly dataset: Record<string, string | undefined>;
  readonly style: { setProperty(name: string, value: string): void };
  readonly classList: { toggle(name: string, on: boolean): void };
  readonly isConnected: boolean;
  textContent: string | null;
  hidden: boolean;
  disabled?: boolean;
  value?: string;
  open?: boolean;
  append(...children: readonly (PageElement | string)[]): void;
  replaceChildren(...children: readonly (PageElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  getAttribute(name: string): string | null;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
  contains(other: PageElement | null): boolean;
  getBoundingClientRect(): { readonly left: number; readonly width: number };
  scrollIntoView(options: { readonly block: 'nearest' }): void;
  focus(): void;
}

export interface PageEvent {
  readonly type: string;
  readonly key?: string;
  readonly clientX?: number;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
  readonly target: PageElement;
  preventDefault(): void;
}

interface PageDocument {
  readonly documentElement: PageElement;
  readonly body: PageElement;
  readonly activeElement: PageElement | null;
  title: string;
  createElement(tag: string): PageElement;
  createElementNS(namespace: string, tag: string): PageElement;
  getElementById(id: string): PageElement | null;
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

declare const document: PageDocument;

/** The document, accessed lazily: these modules are also imported where there is none. */
export function page(): PageDocument {
  return document;
}

/** An element of the served page. @throws Error where it is missing */
export function byId(id: string): PageElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

export type Child = PageElement | string | number | null | false;
type Attributes = Readonly<Record<string, string | number | boolean | ((event: PageEvent) => void) | undefined>>;

/** Creates an HTML element. `on…` attributes are listeners; true sets an attribute, false and undefined omit it. */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): PageElement {
  return filled(document.createElement(tag), attributes, children);
}

/** Creates an SVG element. */
export function s(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): PageElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

/** Sets style properties through the object model, since the content security policy blocks the style attribute. */
export function styled(element: PageElement, properties: Readonly<Record<string, string>>): PageElement {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

function filled(element: PageElement, attributes: Attributes, children: readonly Child[]): PageElement {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child !== null && child !== false) element.append(typeof child === 'number' ? String(child) : child);
  }
  return element;
}

/**
 * Replaces the content of an element and preserves user state: open details stay open, and the focus is restored. Such elements have
 * `data-key`.
 */
export function replaceContent(place: PageElement, ...children: readonly PageElement[]): void {
  const opened = new Set([...place.querySelectorAll('details[open][data-key]')].map((element) => element.dataset['key']));
  const focused = place.contains(document.activeElement) ? document.activeElement?.dataset['key'] : undefined;
  place.replaceChildren(...children);
  for (const details of place.querySelectorAll('details[data-key]')) {
    if (opened.has(details.dataset['key'])) details.open = true;
  }
  if (focused === undefined) return;
  for (const element of place.querySelectorAll('[data-key]')) {
    if (element.dataset['key'] === focused) element.focus();
  }
}
