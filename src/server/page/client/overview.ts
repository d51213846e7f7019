// State of the page, and what is redrawn when it changes. Data is read at the start, on events of the stream and on user actions, never by
// a timer.

import type {
  Cluster,
  Mode,
  Node,
  Recommendation,
  RecommendationDetail,
  SeriesSet,
  WorkloadRef,
} from '../../../apis/http/types.generated.ts';
import { saveChoices, type Choices, type Filter, type Span } from './address.ts';
import { act, ApiFailure, read, type Meta } from './api.ts';
import { drawCard, loaded, NOT_YET, type Loaded } from './card.ts';
import { byId, h, page, replaceContent } from './dom.ts';
import { drawDrawer } from './cards/drawer.ts';
import { age } from './format.ts';
import { healthParts } from './cards/health-parts.ts';
import { nodesLine, nodesStrip } from './cards/nodes-strip.ts';
import { byUrgency, isOpen, keyOf } from './cards/recommendation-words.ts';
import { recommendationsTable } from './cards/recommendations-table.ts';
import { river, riverEntries, riverSources } from './cards/river.ts';
import { runRate, type ClusterView } from './cards/run-rate.ts';
import { savings } from './cards/savings.ts';
import { drawTopBar } from './cards/top-bar.ts';
import type { Allowed } from './sign-in.ts';
import { usagePlot } from './cards/usage-plot.ts';

/** Maximum rows of the page; the rest is available as CSV and by filter. */
const MAX_SHOWN = 200;
/** Minimum interval between usage reads, about a step of the graph. */
const USAGE_INTERVAL_MS = 20_000;
const NODES_INTERVAL_MS = 5_000;

type SegmentName = 'show' | 'span';

/** Controller of the overview page. */
export class Overview {
  #cluster: Loaded<ClusterView> = NOT_YET;
  #nodes: Loaded<readonly Node[]> = NOT_YET;
  #usage: Loaded<SeriesSet> = NOT_YET;
  #items: Loaded<readonly Recommendation[]> = NOT_YET;
  #total = 0;
  #river: Loaded<readonly RecommendationDetail[]> = NOT_YET;
  #riverOf = '';
  #mode: Mode | null = null;
  #meta: Meta | null = null;
  #connected = true;
  #lastAnswerAt = '';
  #choices: Choices;
  readonly #allowed: Allowed;
  #open: { readonly ref: WorkloadRef; detail: Loaded<RecommendationDetail>; opener: string | undefined } | null = null;
  readonly #busy = new Set<string>();
  /** Decisions that the controller has not acted on yet. Their buttons are hidden until the record changes. */
  readonly #decided = new Map<string, { readonly words: string; readonly seen: string }>();
  #usageReadMs = 0;
  #nodesReadMs = 0;

  constructor(choices: Choices, allowed: Allowed) {
    this.#choices = choices;
    this.#allowed = allowed;
  }

  /** Reads everything: at the start, and after missed events. */
  async readAll(): Promise<void> {
    const ofAdmins = this.#allowed.administer ? [this.#readCluster(), this.#readNodes(), this.#readUsage()] : [];
    await Promise.all([this.#readMode(), this.#readItems(), ...ofAdmins]);
  }

  onCluster(record: Cluster): void {
    const before = this.#cluster.data;
    this.#cluster = { data: { cluster: record, arithmetic: before?.arithmetic ?? null }, failure: null };
    void this.#readCluster();
    // Reason and end of a pause are not in the record.
    if (record.mode !== this.#mode?.mode || record.mode === 'paused') void this.#readMode();
    const now = performance.now();
    if (now - this.#nodesReadMs > NODES_INTERVAL_MS) void this.#readNodes();
    if (now - this.#usageReadMs > USAGE_INTERVAL_MS) void this.#readUsage();
  }

  onRecommendations(change: { readonly changed: readonly Recommendation[]; readonly removed: readonly WorkloadRef[] }): void {
    const items = new Map((this.#items.data ?? []).map((item) => [keyOf(item), item]));
    for (const removed of change.removed) items.delete(keyOf(removed));
    for (const item of change.changed) {
      items.set(keyOf(item), item);
      if (this.#decided.get(keyOf(item))?.seen !== momentOf(item)) this.#decided.delete(keyOf(item));
    }
    this.#total += items.size - (this.#items.data?.length ?? 0);
    this.#items = { data: [...items.values()], failure: null };
    this.#drawItems();
    void this.#readRiver();
    const open = this.#open;
    if (open !== null && change.changed.some((item) => keyOf(item) === keyOf(open.ref))) void this.#readDetail();
  }

  onConnection(up: boolean): void {
    if (this.#connected === up) return;
    this.#connected = up;
    this.#drawTop();
  }

  choose(choices: Partial<Choices>): void {
    const before = this.#choices;
    this.#choices = { ...before, ...choices };
    saveChoices(this.#choices);
    if (this.#choices.span !== before.span) void this.#readUsage();
    this.#drawSegments();
    this.#drawItems();
  }

  openDetail(item: WorkloadRef): void {
    this.#open = {
      ref: { namespace: item.namespace, kind: item.kind, name: item.name },
      detail: NOT_YET,
      opener: page().activeElement?.dataset['key'],
    };
    this.#drawDrawer();
    byId('drawer').querySelector('#drawer-title')?.focus();
    this.#drawItems();
    void this.#readDetail();
  }

  closeDetail(): void {
    const opener = this.#open?.opener;
    this.#open = null;
    this.#drawDrawer();
    this.#drawItems();
    if (opener === undefined) return;
    for (const element of page().body.querySelectorAll('[data-key]')) if (element.dataset['key'] === opener) element.focus();
  }

  /** Displayed rows, in order. */
  visible(): readonly Recommendation[] {
    const { show, q } = this.#choices;
    const word = q.toLowerCase();
    return (this.#items.data ?? [])
      .filter((item) => show === 'all' || (show === 'open' ? isOpen(item) : item.appliedAt !== null))
      .filter((item) => `${item.namespace}/${item.name}`.toLowerCase().includes(word))
      .sort(byUrgency);
  }

  draw(): void {
    for (const card of page().body.querySelectorAll('[data-admin]')) card.hidden = !this.#allowed.administer;
    this.#drawTop();
    this.#drawSegments();
    this.#drawCluster();
    this.#drawNodes();
    this.#drawUsage();
    this.#drawItems();
    this.#drawRiver();
  }

  async #readMode(): Promise<void> {
    try {
      this.#mode = (await read<Mode>('/mode')).data;
    } catch {
      this.#mode = null;
    }
    this.#drawTop();
  }

  async #readCluster(): Promise<void> {
    this.#cluster = await loaded(this.#cluster, async () => {
      const { data, meta } = await read<Cluster>('/cluster');
      this.#recordMeta(meta);
      return { cluster: data, arithmetic: meta.summary ?? null };
    });
    this.#drawCluster();
    this.#drawTop();
  }

  async #readNodes(): Promise<void> {
    this.#nodesReadMs = performance.now();
    this.#nodes = await loaded(this.#nodes, async () => (await read<readonly Node[]>('/nodes?limit=1000')).data);
    this.#drawNodes();
  }

  async #readUsage(): Promise<void> {
    this.#usageReadMs = performance.now();
    const { span } = this.#choices;
    const usage = await loaded(this.#usage, async () => (await read<SeriesSet>(`/cluster/usage?duration=${span}`)).data);
    if (span === this.#choices.span) this.#usage = usage;
    this.#drawUsage();
  }

  async #readItems(): Promise<void> {
    this.#items = await loaded(this.#items, async () => {
      const { data, meta } = await read<readonly Recommendation[]>(`/recommendations?limit=${MAX_SHOWN}`);
      this.#total = meta.total;
      this.#recordMeta(meta);
      return data;
    });
    this.#drawTop();
    this.#drawItems();
    await this.#readRiver();
  }

  async #readRiver(): Promise<void> {
    const sources = riverSources(this.#items.data ?? []);
    const wanted = JSON.stringify(sources.map((item) => [keyOf(item), item.appliedAt]));
    if (wanted === this.#riverOf && this.#river.failure === null) return;
    this.#riverOf = wanted;
    this.#river = await loaded(this.#river, () =>
      Promise.all(sources.map(async (item) => (await read<RecommendationDetail>(detailPath(item))).data)),
    );
    this.#drawRiver();
  }

  async #readDetail(): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    open.detail = await loaded(open.detail, async () => (await read<RecommendationDetail>(detailPath(open.ref))).data);
    if (this.#open === open) this.#drawDrawer();
  }

  async #decide(verb: 'approve' | 'reject' | 'rollback', item: Recommendation, reason: string): Promise<void> {
    const key = keyOf(item);
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    this.#drawItems();
    this.#drawDrawer();
    const containers = item.containers.map(({ name, recommended }) => ({
      name,
      requests: recommended.requests,
      limits: recommended.limits,
    }));
    const body = { ...(verb === 'rollback' ? {} : { containers }), ...(reason === '' ? {} : { reason }) };
    try {
      const { data, meta } = await act<Recommendation>('POST', `${workloadPath(item)}/${verb}?kind=${encodeURIComponent(item.kind)}`, body);
      if (meta.dryRun !== true) this.#decided.set(key, { words: DONE[verb], seen: momentOf(data) });
      this.onRecommendations({ changed: [data], removed: [] });
      toast(
        meta.dryRun === true ? 'Dry-run: the request is valid; nothing was changed.' : CONFIRMATION[verb](`${item.namespace}/${item.name}`),
      );
    } catch (error) {
      toast(error instanceof ApiFailure ? error.message : 'The request failed.');
    }
    this.#busy.delete(key);
    this.#drawItems();
    if (this.#open === null) return;
    this.#drawDrawer();
    void this.#readDetail();
  }

  #recordMeta(meta: Meta): void {
    this.#meta = meta;
    this.#lastAnswerAt = meta.timestamp;
  }

  #staleMessage(): string | null {
    return this.#meta?.stale === true ? age(this.#meta.dataAge ?? 0) : null;
  }

  #drawTop(): void {
    drawTopBar({
      cluster: this.#cluster.data?.cluster ?? null,
      mode: this.#mode,
      staleFor: this.#staleMessage(),
      isConnected: this.#connected,
      lastAnswerAt: this.#lastAnswerAt,
    });
  }

  #drawSegments(): void {
    for (const [name, chosen] of [
      ['show', this.#choices.show],
      ['span', this.#choices.span],
    ] as const)
      this.#drawSegment(name, chosen);
    const search = byId('search');
    if (search.value !== this.#choices.q) search.value = this.#choices.q;
  }

  #drawSegment(name: SegmentName, chosen: Filter | Span): void {
    for (const button of page().body.querySelectorAll(`[data-${name}]`))
      button.setAttribute('aria-pressed', String(button.dataset[name] === chosen));
  }

  #drawCluster(): void {
    const again = (): void => void this.#readCluster();
    drawCard(byId('run-rate'), 'Run rate', this.#cluster, again, runRate);
    drawCard(byId('savings'), 'Savings', this.#cluster, again, (view) => savings(view, this.#items.data ?? []));
    drawCard(byId('health'), 'Health', this.#cluster, again, ({ cluster }) => healthParts(cluster.health));
    const health = this.#cluster.data?.cluster.health;
    replaceContent(
      byId('health-score'),
      h('span', { class: 'fig2' }, health?.score === null || health === undefined ? '—' : String(health.score)),
      h('span', { class: 'fig2 t3' }, ` ${health?.grade ?? ''}`),
    );
  }

  #drawNodes(): void {
    drawCard(byId('nodes'), 'Nodes', this.#nodes, () => void this.#readNodes(), nodesStrip);
    byId('nodes-line').textContent = this.#nodes.data === null ? '' : nodesLine(this.#nodes.data);
  }

  #drawUsage(): void {
    const again = (): void => void this.#readUsage();
    drawCard(byId('plot-cpu'), 'CPU', this.#usage, again, (usage) => usagePlot(usage, 'cpu'));
    drawCard(byId('plot-memory'), 'Memory', this.#usage, again, (usage) => usagePlot(usage, 'memory'));
  }

  #drawItems(): void {
    const view = {
      items: this.visible(),
      selected: this.#open === null ? null : keyOf(this.#open.ref),
      staleFor: this.#staleMessage(),
      dryRun: this.#mode?.mode === 'dry-run',
      canOperate: this.#allowed.operate,
      busy: this.#busy,
      decided: new Map([...this.#decided].map(([key, { words }]) => [key, words])),
    };
    const actions = {
      open: (item: Recommendation) => this.openDetail(item),
      approve: (item: Recommendation) => void this.#decide('approve', item, ''),
      reject: (item: Recommendation) => void this.#decide('reject', item, ''),
    };
    drawCard(
      byId('recommendations'),
      'Recommendations',
      this.#items,
      () => void this.#readItems(),
      () => recommendationsTable(view, actions),
    );
    const known = this.#items.data?.length ?? 0;
    byId('recommendations-line').textContent = this.#total > known ? `the ${known} of ${this.#total} with the highest savings` : '';
    this.#drawCluster();
  }

  #drawRiver(): void {
    drawCard(
      byId('river'),
      'Recent changes',
      this.#river,
      () => void this.#readRiver(),
      (details) => river(riverEntries(details)),
    );
  }

  #drawDrawer(): void {
    const place = byId('drawer');
    const open = this.#open;
    place.hidden = open === null;
    byId('shell').classList.toggle('open', open !== null);
    if (open === null) return;
    const view = {
      title: `${open.ref.namespace}/${open.ref.name}`,
      detail: open.detail,
      staleFor: this.#staleMessage(),
      dryRun: this.#mode?.mode === 'dry-run',
      canOperate: this.#allowed.operate,
      whoDecides: this.#allowed.whoDecides,
      busy: this.#busy.has(keyOf(open.ref)),
      decided: this.#decided.get(keyOf(open.ref))?.words ?? null,
    };
    drawDrawer(place, view, {
      close: () => this.closeDetail(),
      retry: () => void this.#readDetail(),
      approve: (detail, reason) => void this.#decide('approve', detail, reason),
      reject: (detail, reason) => void this.#decide('reject', detail, reason),
      rollback: (detail, reason) => void this.#decide('rollback', detail, reason),
    });
  }
}

const CONFIRMATION = {
  approve: (object: string): string => `Approved ${object}. It is applied as soon as no other blocker remains.`,
  reject: (object: string): string => `Rejected the values of ${object}. They are not recommended again for 7 days unless they change.`,
  rollback: (object: string): string => `${object} is rolled back to the values before the last change.`,
} as const;

const DONE = { approve: 'approved just now', reject: 'rejected just now', rollback: 'rolling back' } as const;

/** Fields that change once the controller has acted. */
function momentOf({ state, reason, updatedAt, appliedAt }: Recommendation): string {
  return [state, reason, updatedAt, appliedAt].join(' ');
}

/** Shows a message for 10 s, which screen readers announce. */
function toast(sentence: string): void {
  const place = byId('toast');
  place.textContent = sentence;
  place.hidden = false;
  setTimeout(() => {
    if (place.textContent === sentence) place.hidden = true;
  }, 10_000);
}

function workloadPath({ namespace, name }: WorkloadRef): string {
  return `/recommendations/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
}

function detailPath(item: WorkloadRef): string {
  return `${workloadPath(item)}?kind=${encodeURIComponent(item.kind)}`;
}
