import type { ContainerAudit, ExplainedResource, RecommendationDetail } from '../../../../apis/http/types.generated.ts';
import type { Loaded } from '../card.ts';
import { h, replaceContent, type PageElement } from '../dom.ts';
import { count, cpu, memory, memoryStep, moment, percent, savingsText } from '../format.ts';
import { icon } from '../icons.ts';
import { isForDecision, describeState } from './recommendation-words.ts';

/** Actions of the drawer. `reason` is the user's input. */
export interface DrawerActions {
  close(): void;
  retry(): void;
  approve(detail: RecommendationDetail, reason: string): void;
  reject(detail: RecommendationDetail, reason: string): void;
  rollback(detail: RecommendationDetail, reason: string): void;
}

export interface DrawerView {
  readonly title: string;
  readonly detail: Loaded<RecommendationDetail>;
  readonly staleFor: string | null;
  readonly dryRun: boolean;
  /** False: the user only reads. */
  readonly canOperate: boolean;
  /** Shown in place of the buttons of a recommendation to a user who only reads. */
  readonly whoDecides: string;
  readonly busy: boolean;
  /** A decision made here that the record does not show yet; null: none. */
  readonly decided: string | null;
}

/** Draws one recommendation: current → recommended values, savings, derivation steps, what would change it, and the actions. */
export function drawDrawer(place: PageElement, view: DrawerView, actions: DrawerActions): void {
  const reason = place.querySelector('#reason')?.value ?? '';
  const header = h(
    'header',
    {},
    h('h2', { id: 'drawer-title', tabindex: -1 }, view.title),
    h('span', { class: 'grow' }),
    h(
      'button',
      { class: 'btn bare sq', type: 'button', 'aria-label': 'Close', 'data-key': 'drawer-close', onclick: () => actions.close() },
      icon('close'),
    ),
  );
  const { data, failure } = view.detail;
  if (data === null) {
    const body =
      failure === null
        ? h('div', { class: 'in' }, h('div', { class: 'bone' }), h('div', { class: 'bone half' }))
        : h(
            'div',
            { class: 'in', role: 'alert' },
            h('p', {}, `Failed to load. ${failure.message} (${failure.code})`),
            h('button', { class: 'btn', type: 'button', onclick: () => actions.retry() }, 'Retry'),
          );
    replaceContent(place, header, body);
    return;
  }
  replaceContent(place, header, h('div', { class: 'in' }, ...content(data)), footer(data, view, actions));
  const field = place.querySelector('#reason');
  if (field !== null) field.value = reason;
}

function content(detail: RecommendationDetail): readonly PageElement[] {
  const state = describeState(detail);
  const facts = [
    `${detail.kind} in ${detail.namespace}`,
    count(detail.replicas, 'replica'),
    `mode ${detail.mode}`,
    detail.policy === null ? 'no policy: defaults' : `policy ${detail.policy}`,
  ];
  return [
    h(
      'div',
      {},
      h(
        'div',
        { class: 'row wrap' },
        h('span', { class: `chip ${state.tone}` }, icon(state.icon, true), state.word),
        h('span', { class: 'chip' }, detail.risk === 'none' ? 'no risk' : `${detail.risk} risk`),
        h('span', { class: 'chip' }, `confidence ${percent(detail.confidence)}`),
      ),
      h('p', { class: 'sub' }, facts.join(' · ')),
    ),
    diffTable(detail),
    ...moneySum(detail),
    ...detail.audit.containers.flatMap((container) => explained(container, detail.audit.containers.length > 1)),
    ...listing(
      'In force',
      detail.audit.rules.map(
        (rule) => `${rule.name}: ${rule.value === null ? 'none' : String(rule.value as string | number | boolean)} (${rule.source})`,
      ),
    ),
    ...listing('What would change it', detail.audit.wouldChangeIt),
  ];
}

function diffTable(detail: RecommendationDetail): PageElement {
  const rows = detail.containers.flatMap((container) => [
    diffRow(`${container.name} · CPU`, container.current.requests.cpuMillicores, container.recommended.requests.cpuMillicores, cpu),
    diffRow(`${container.name} · memory`, container.current.requests.memoryBytes, container.recommended.requests.memoryBytes, memory),
    ...(container.current.limits.memoryBytes === container.recommended.limits.memoryBytes
      ? []
      : [
          diffRow(
            `${container.name} · memory limit`,
            container.current.limits.memoryBytes,
            container.recommended.limits.memoryBytes,
            memory,
          ),
        ]),
  ]);
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      h('th', { scope: 'col' }, 'Request'),
      h('th', { scope: 'col' }, 'now'),
      h('th', {}),
      h('th', { scope: 'col' }, 'recommended'),
    ),
  );
  return h('table', { class: 'diff' }, head, h('tbody', {}, ...rows));
}

function diffRow(name: string, now: number | null, proposed: number | null, format: (value: number | null) => string): PageElement {
  return h(
    'tr',
    {},
    h('td', {}, name),
    h('td', { class: 'old' }, format(now)),
    h('td', { class: 'ar' }, '→'),
    h('td', { class: 'new' }, proposed === null ? '—' : format(proposed)),
  );
}

function moneySum(detail: RecommendationDetail): readonly PageElement[] {
  const { lines, totalPerMonthUsd, priceSource } = detail.audit.money;
  if (lines.length === 0 || totalPerMonthUsd === null) return [];
  const rows = lines.map((line) => h('tr', {}, h('td', {}, line.label), h('td', {}, savingsText(line.perMonthUsd))));
  const total = h(
    'tr',
    { class: 'tot' },
    h('td', {}, 'If applied, per month'),
    h('td', { class: totalPerMonthUsd > 0 ? 'save' : '' }, savingsText(totalPerMonthUsd)),
  );
  return [
    h(
      'div',
      {},
      h('h4', {}, 'Cost of requests at current node prices'),
      h('table', { class: 'sum' }, h('tbody', {}, ...rows, total)),
      h('p', { class: 'sub' }, priceSource ?? ''),
    ),
  ];
}

function explained(container: ContainerAudit, named: boolean): readonly PageElement[] {
  const prefix = named ? `${container.name}: ` : '';
  const inputs = [
    container.inputs.samples === null ? null : `${container.inputs.samples.toLocaleString('en-US')} samples`,
    container.inputs.firstSampleAt === null ? null : `since ${moment(container.inputs.firstSampleAt)}`,
    container.inputs.oomKills === null || container.inputs.oomKills === 0 ? null : count(container.inputs.oomKills, 'OOM kill'),
    container.inputs.confidenceText,
  ].filter((part) => part !== null);
  return [
    ...steps(`${prefix}CPU request`, container.cpu, cpu),
    ...steps(`${prefix}memory request`, container.memory, memoryStep),
    ...(inputs.length === 0 ? [] : [h('p', { class: 'sub' }, inputs.join(' · '))]),
  ];
}

function steps(title: string, resource: ExplainedResource | null, format: (value: number | null) => string): readonly PageElement[] {
  if (resource === null || resource.steps.length === 0) return [];
  const rows = resource.steps.map((step, index) => {
    const end = index === resource.steps.length - 1;
    const by = index === 0 || step.value === 0 ? null : h('span', { class: 'n' }, `${step.value > 0 ? '+' : ''}${format(step.value)}`);
    return h(
      'li',
      { class: end ? 'end' : '' },
      h('span', {}, step.detail === '' ? step.step : step.detail),
      h('span', { class: 'v' }, format(step.total), by),
    );
  });
  return [h('div', {}, h('h3', {}, capital(title)), h('ol', { class: 'steps' }, ...rows))];
}

function listing(title: string, lines: readonly string[]): readonly PageElement[] {
  return lines.length === 0
    ? []
    : [h('div', {}, h('h4', {}, title), h('ul', { class: 'notes' }, ...lines.map((line) => h('li', {}, line))))];
}

function footer(detail: RecommendationDetail, view: DrawerView, actions: DrawerActions): PageElement {
  if (view.staleFor !== null)
    return h('footer', {}, h('p', { class: 'warn small' }, `The data is ${view.staleFor} old, so decisions are disabled.`));
  if (view.decided !== null) return h('footer', {}, h('p', { class: 'sub' }, `${capital(view.decided)}. The controller acts on it next.`));
  const reasonOf = (event: { readonly target: PageElement }): string =>
    event.target.closest('footer')?.querySelector('#reason')?.value ?? '';
  const suffix = view.dryRun ? ' (dry-run, nothing changes)' : ` for ${count(detail.replicas, 'pod')}`;
  const decide = isForDecision(detail);
  const canRollBack =
    detail.appliedAt !== null && (detail.state === 'applied' || detail.state === 'optimal' || detail.state === 'applying');
  if (decide && !view.canOperate) return h('footer', {}, h('p', { class: 'sub' }, view.whoDecides));
  if (!view.canOperate || (!decide && !canRollBack)) return h('footer', {}, h('p', { class: 'sub' }, describeOutlook(detail)));
  return h(
    'footer',
    {},
    h(
      'label',
      { class: 'field' },
      'Reason, recorded in the audit',
      h('input', { id: 'reason', type: 'text', maxlength: 500, autocomplete: 'off', 'data-key': 'drawer-reason' }),
    ),
    h(
      'div',
      { class: 'row wrap' },
      decide &&
        h(
          'button',
          {
            class: 'btn go',
            type: 'button',
            disabled: view.busy,
            'data-key': 'drawer-approve',
            onclick: (event) => actions.approve(detail, reasonOf(event)),
          },
          `Approve${suffix}`,
        ),
      decide &&
        h(
          'button',
          {
            class: 'btn',
            type: 'button',
            disabled: view.busy,
            'data-key': 'drawer-reject',
            onclick: (event) => actions.reject(detail, reasonOf(event)),
          },
          'Reject',
        ),
      canRollBack &&
        h(
          'button',
          {
            class: 'btn',
            type: 'button',
            disabled: view.busy,
            'data-key': 'drawer-back',
            onclick: (event) => actions.rollback(detail, reasonOf(event)),
          },
          icon('back'),
          'Roll back',
        ),
    ),
    h(
      'p',
      { class: 'sub' },
      decide
        ? 'Resized in place, without a restart. “Roll back” restores the previous values.'
        : 'Restores the values before the last change and blocks automatic changes for 24 hours.',
    ),
  );
}

function describeOutlook(detail: RecommendationDetail): string {
  if (detail.mode === 'Auto') return 'Mode Auto: it is applied automatically as soon as no blocker remains.';
  if (detail.mode === 'Approve') return 'Mode Approve: a change is applied once a user has approved its values.';
  if (detail.mode === 'Off') return 'Mode Off: Evenkeel does not change it.';
  return `Mode ${detail.mode}: nothing is applied. Set the mode to Approve or Auto to apply changes.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
