import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Recommendation, RecommendationDetail } from '../../../../apis/http/types.generated.ts';
import type { PageElement } from '../dom.ts';
import { drawDrawer, type DrawerView } from './drawer.ts';
import { recommendationsTable, type TableView } from './recommendations-table.ts';

const NOTHING = (): void => undefined;

/** An element that only has its children. */
class FakeElement {
  readonly dataset = {};
  readonly style = { setProperty: NOTHING };
  readonly setAttribute = NOTHING;
  readonly addEventListener = NOTHING;
  children: readonly (FakeElement | string)[] = [];
  readonly tag: string;

  constructor(tag: string) {
    this.tag = tag;
  }

  append(...children: readonly (FakeElement | string)[]): void {
    this.children = [...this.children, ...children];
  }

  replaceChildren(...children: readonly (FakeElement | string)[]): void {
    this.children = children;
  }

  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
  }

  /** The text of each button in it, in order. */
  buttons(): readonly string[] {
    if (this.tag === 'button') return [this.textContent];
    return this.children.flatMap((child) => (typeof child === 'string' ? [] : child.buttons()));
  }

  querySelector(): null {
    return null;
  }

  querySelectorAll(): readonly [] {
    return [];
  }

  contains(): boolean {
    return false;
  }
}

const ACTIONS = { open: NOTHING, close: NOTHING, retry: NOTHING, approve: NOTHING, reject: NOTHING, rollback: NOTHING };
const QUANTITIES = { requests: { cpuMillicores: 100, memoryBytes: 2 ** 27 }, limits: {} };
const CONTAINER = {
  name: 'app',
  current: QUANTITIES,
  recommended: QUANTITIES,
  usage: { p95: QUANTITIES.requests, max: QUANTITIES.requests },
};
const AUDIT = { containers: [], rules: [], wouldChangeIt: [], money: { lines: [], totalPerMonthUsd: null, priceSource: null } };
const FOR_APPROVAL = {
  namespace: 'shop',
  kind: 'Deployment',
  name: 'web',
  replicas: 2,
  state: 'awaiting',
  reason: 'approval',
  until: null,
  mode: 'Approve',
  appliedAt: null,
  containers: [CONTAINER],
} as unknown as Recommendation;
const APPLIED = { ...FOR_APPROVAL, state: 'applied', reason: null, appliedAt: '2026-11-20T10:00:00.000Z' } as const;

beforeAll(() => {
  const createElement = (tag: string): FakeElement => new FakeElement(tag);
  const createElementNS = (_namespace: string, tag: string): FakeElement => new FakeElement(tag);
  Object.assign(globalThis, { document: { createElement, createElementNS, activeElement: null } });
});

afterAll(() => {
  Object.assign(globalThis, { document: undefined });
});

function buttonsOfRow(view: Partial<TableView>): readonly string[] {
  const items = view.items ?? [FOR_APPROVAL];
  const full = {
    selected: null,
    staleFor: null,
    dryRun: false,
    canOperate: true,
    busy: new Set<string>(),
    decided: new Map(),
    ...view,
    items,
  };
  const drawn = recommendationsTable(full, ACTIONS) as unknown as readonly FakeElement[];
  return drawn.flatMap((element) => element.buttons()).filter((text) => text !== 'shop/web');
}

function buttonsOfDrawer(item: Recommendation, view: Partial<DrawerView>): readonly string[] {
  const place = new FakeElement('aside');
  const data = { ...item, audit: AUDIT } as unknown as RecommendationDetail;
  const full = {
    title: '',
    detail: { data, failure: null },
    staleFor: null,
    dryRun: false,
    canOperate: true,
    whoDecides: '',
    busy: false,
    decided: null,
    ...view,
  };
  drawDrawer(place as unknown as PageElement, full, ACTIONS);
  return place.buttons().filter((text) => text !== '');
}

describe('the buttons of a row', () => {
  test.each<[string, Partial<TableView>, readonly string[]]>([
    ['that a user who operates sees', {}, ['Approve', 'Reject']],
    ['that a user who only reads sees', { canOperate: false }, []],
    ['without a decision to make', { items: [APPLIED] }, []],
    ['of data that is too old', { staleFor: '5 min' }, []],
    ['that was decided', { decided: new Map([['shop/Deployment/web', 'approved just now']]) }, []],
  ])('%s', (_, view, expected) => {
    expect(buttonsOfRow(view)).toEqual(expected);
  });
});

describe('the buttons of the drawer', () => {
  test.each<[string, Recommendation, Partial<DrawerView>, readonly string[]]>([
    ['that a user who operates sees', FOR_APPROVAL, {}, ['Approve for 2 pods', 'Reject']],
    ['that a user who only reads sees', FOR_APPROVAL, { canOperate: false }, []],
    ['of an applied change', APPLIED, {}, ['Roll back']],
    ['of an applied change, for a user who only reads', APPLIED, { canOperate: false }, []],
    ['of data that is too old', FOR_APPROVAL, { staleFor: '5 min' }, []],
    ['that was decided', FOR_APPROVAL, { decided: 'approved just now' }, []],
  ])('%s', (_, item, view, expected) => {
    expect(buttonsOfDrawer(item, view)).toEqual(expected);
  });
});
