import type { PrometheusRule } from './fake-prometheus.ts';

/** A series with a constant value. */
export interface LabelledSeries {
  /** Includes `__name__`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Instant queries do not return it any more. */
  readonly isPast?: boolean;
}

type Labels = LabelledSeries['labels'];

/**
 * Answers from series that exist at every moment of a range, by the selector of the query: label and series requests, `count by (…)` as an
 * instant query with a pod's UID read from `id`, and every other query as `max by (…)`.
 */
export function serveSeries(series: () => readonly LabelledSeries[]): PrometheusRule {
  return ({ kind, form }) => {
    const text = form.get('query') ?? form.get('match[]') ?? '';
    const selected = series().filter(({ labels, isPast }) => isMatch(text, labels) && !(kind === 'query' && isPast === true));
    if (kind === 'labels') return { data: [...new Set(selected.flatMap(({ labels }) => Object.keys(labels)))] };
    if (kind === 'series') return { data: selected.map(({ labels }) => labels) };
    const [, label = ''] = /^label\/(\w+)\/values$/.exec(kind) ?? [];
    if (label !== '') return { data: [...new Set(selected.flatMap(({ labels }) => labels[label] ?? []))] };
    const by = /\bby \(([^)]*)\)/.exec(text)?.[1]?.split(',');
    const groups = Map.groupBy(selected, ({ labels }) => JSON.stringify(by === undefined ? labels : pick(withUid(labels), by)));
    const values = [...groups].map(
      ([key, members]) => [JSON.parse(key) as Labels, Math.max(...members.map(({ value }) => value))] as const,
    );
    if (kind === 'query') {
      return { data: { resultType: 'vector', result: values.map(([metric, value]) => ({ metric, value: [0, String(value)] })) } };
    }
    const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name))) as [number, number, number];
    const times = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) => start + index * step);
    const result = values.map(([metric, value]) => ({ metric, values: times.map((time) => [time, String(value)]) }));
    return { data: { resultType: 'matrix', result } };
  };
}

/** Whether the labels match the name and the matchers of the first selector. */
function isMatch(text: string, labels: Labels): boolean {
  const [, name = '', inside = ''] = /(\w*)\{([^}]*)\}/.exec(text) ?? [];
  if (name !== '' && labels['__name__'] !== name) return false;
  return [...inside.matchAll(/(\w+)\s*(=~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].every(([, label = '', operator, quoted]) => {
    const value = labels[label] ?? '';
    const wanted = JSON.parse(`"${quoted}"`) as string;
    if (operator === '=~') return new RegExp(`^(?:${wanted})$`).test(value);
    return operator === '=' ? value === wanted : value !== wanted;
  });
}

function withUid(labels: Labels): Labels {
  const [, uid] = /pod([0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})/.exec(labels['id'] ?? '') ?? [];
  return uid === undefined ? labels : { ...labels, evenkeel_pod_uid: uid };
}

function pick(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(names.flatMap((name) => (labels[name] === undefined ? [] : [[name, labels[name]]])));
}
