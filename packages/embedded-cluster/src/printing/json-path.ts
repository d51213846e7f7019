import { isObject } from '#kube/json';

/** One step of a path, from values to the values it selects in them. */
type Step = (value: unknown) => readonly unknown[];

/** Selects values in wire JSON, in order; none for a missing path. */
export type JsonPath = (value: unknown) => readonly unknown[];

/**
 * Parses the JSON paths of printer columns and scale subresources: `.spec.replicas`, `.a['b.c']`, `.a\.b`, `[0]`, `[*]`,
 * `[?(@.type=="Ready")].status`. Undefined for an unsupported path.
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const inner = /^\{(.*)\}$/.exec(text)?.[1] ?? text;
  const steps: Step[] = [];
  let rest = inner.startsWith('$') ? inner.slice(1) : inner;
  while (rest !== '') {
    const found = STEPS.map(({ form, step }) => ({ match: form.exec(rest), step })).find(({ match }) => match !== null);
    if (found === undefined || found.match === null) return undefined;
    const step = found.step(found.match);
    if (step === undefined) return undefined;
    steps.push(step);
    rest = rest.slice(found.match[0].length);
  }
  if (steps.length === 0) return undefined;
  return (value) => steps.reduce<readonly unknown[]>((values, step) => values.flatMap(step), [value]);
}

/** The names along a path of plain fields (`.spec.replicas`); undefined for anything else. */
export function plainPath(text: string): readonly string[] | undefined {
  if (!/^(?:\.[A-Za-z_][\w-]*)+$/.test(text)) return undefined;
  return text.slice(1).split('.');
}

const STEPS: readonly { readonly form: RegExp; readonly step: (match: RegExpExecArray) => Step | undefined }[] = [
  { form: /^\.?\[\*\]|^\.\*/, step: () => listItems },
  { form: /^\.?\[(-?\d+)\]/, step: (match) => itemAt(Number(match[1])) },
  { form: /^\.?\[(?:'([^']*)'|"([^"]*)")\]/, step: (match) => field(match[1] ?? match[2] ?? '') },
  { form: /^\.?\[\?\(\s*(.*?)\s*\)\]/, step: (match) => filter(match[1] ?? '') },
  { form: /^\.((?:\\.|[^.[\]\\])+)/, step: (match) => field((match[1] ?? '').replaceAll(/\\(.)/g, '$1')) },
];

function listItems(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function itemAt(index: number): Step {
  return (value) => {
    const item: unknown = Array.isArray(value) ? value.at(index) : undefined;
    return item === undefined ? [] : [item];
  };
}

function field(name: string): Step {
  return (value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []);
}

const COMPARISON = /^@(.*?)\s*(==|!=|<=|>=|<|>)\s*(.+)$/;

function filter(condition: string): Step | undefined {
  const compared = COMPARISON.exec(condition);
  const path = parseJsonPath(compared?.[1] ?? condition.replace(/^@/, ''));
  if (path === undefined) return undefined;
  const test = compared === null ? undefined : comparison(compared[2] ?? '', literal(compared[3] ?? ''));
  const isSelected = (item: unknown): boolean => {
    const [found] = path(item);
    return test === undefined ? found !== undefined : found !== undefined && test(found);
  };
  return (value) => (Array.isArray(value) ? (value as unknown[]).filter(isSelected) : []);
}

function comparison(operator: string, wanted: unknown): (found: unknown) => boolean {
  const order = (found: unknown): number => (typeof found === 'number' && typeof wanted === 'number' ? found - wanted : NaN);
  switch (operator) {
    case '==':
      return (found) => found === wanted;
    case '!=':
      return (found) => found !== wanted;
    case '<':
      return (found) => order(found) < 0;
    case '>':
      return (found) => order(found) > 0;
    case '<=':
      return (found) => order(found) <= 0;
    default:
      return (found) => order(found) >= 0;
  }
}

function literal(text: string): unknown {
  const quoted = /^(?:'(.*)'|"(.*)")$/.exec(text.trim());
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  if (text.trim() === 'true') return true;
  return text.trim() === 'false' ? false : Number(text);
}
