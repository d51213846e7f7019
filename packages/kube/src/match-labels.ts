// Matching of label selectors, and their form in query parameters.

import type { LabelRequirement, Labels, LabelSelector } from './label-selector.ts';
import { parsed, refused, type Parsed } from './parsed.ts';

/** Whether labels match a selector. An empty selector matches everything. */
export function isLabelSelectorMatch(selector: LabelSelector, labels: Labels): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labels[key] !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((expression) =>
    isRequirementMet({ key: expression.key, operator: expression.operator, values: expression.values ?? [] }, labels),
  );
}

/** Requirements of a selector, `matchLabels` first. */
export function requirementsOf(selector: LabelSelector): readonly LabelRequirement[] {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }));
  return [...equal, ...(selector.matchExpressions ?? []).map((expression) => ({ ...expression, values: expression.values ?? [] }))];
}

/** Whether labels match every requirement. */
export function isEveryRequirementMet(requirements: readonly LabelRequirement[], labels: Labels): boolean {
  return requirements.every((requirement) => isRequirementMet(requirement, labels));
}

function isRequirementMet(requirement: LabelRequirement, labels: Labels): boolean {
  // Own properties only: a label may have the name of an inherited property, such as `constructor`.
  const value = Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined;
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && requirement.values.includes(value);
    case 'NotIn':
      return value === undefined || !requirement.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && compareWhole(value, requirement.values[0]) > 0;
    case 'Lt':
      return value !== undefined && compareWhole(value, requirement.values[0]) < 0;
  }
}

const MAX_INTEGER = 2n ** 63n - 1n;

/** Compares 64-bit integers exactly; NaN if a text is not one, so that no comparison matches. */
function compareWhole(a: string, b: string | undefined): number {
  if (!isWhole(a) || b === undefined || !isWhole(b)) return Number.NaN;
  const [first, second] = [BigInt(a), BigInt(b)];
  return first < second ? -1 : Number(first > second);
}

function isWhole(text: string): boolean {
  if (!/^-?[0-9]{1,63}$/.test(text)) return false;
  const value = BigInt(text);
  return value <= MAX_INTEGER && value >= -MAX_INTEGER - 1n;
}

const KEY = /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const SET_FORM = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/;
const EQUALITY_FORM = /^([^\s!=<>]+)\s*(==|=|!=|<|>)\s*(\S*)$/;
const EXISTS_FORM = /^(!?)\s*([^\s!=<>]+)$/;

/** Parses the form of query parameters: `a=b,c!=d,e in (f, g),h notin (i),j,!k,l>3`. Empty text has no requirements. */
export function parseLabelQuery(text: string): Parsed<readonly LabelRequirement[]> {
  const requirements: LabelRequirement[] = [];
  if (text.trim() === '') return parsed(requirements);
  for (const part of splitOutsideParentheses(text)) {
    const requirement = parseRequirement(part.trim());
    if (requirement === null) {
      return refused(
        `label selector '${text}': '${part.trim()}' is not a requirement; write key=value, key!=value, key in (a,b), key notin (a), key or !key`,
      );
    }
    const fault = faultOf(requirement);
    if (fault !== null) return refused(`label selector '${text}': ${fault}`);
    requirements.push(requirement);
  }
  return parsed(requirements);
}

function parseRequirement(text: string): LabelRequirement | null {
  const set = SET_FORM.exec(text);
  if (set !== null) {
    const [, key = '', word, list = ''] = set;
    return { key, operator: word === 'in' ? 'In' : 'NotIn', values: list.split(',').map((value) => value.trim()) };
  }
  const equality = EQUALITY_FORM.exec(text);
  if (equality !== null) {
    const [, key = '', sign, value = ''] = equality;
    const operator = sign === '!=' ? 'NotIn' : sign === '>' ? 'Gt' : sign === '<' ? 'Lt' : 'In';
    return { key, operator, values: [value] };
  }
  const exists = EXISTS_FORM.exec(text);
  if (exists !== null) return { key: exists[2] ?? '', operator: exists[1] === '!' ? 'DoesNotExist' : 'Exists', values: [] };
  return null;
}

function faultOf(requirement: LabelRequirement): string | null {
  if (!KEY.test(requirement.key)) return `'${requirement.key}' is not a label key`;
  const ordered = requirement.operator === 'Gt' || requirement.operator === 'Lt';
  for (const value of requirement.values) {
    if (ordered && !/^-?[0-9]+$/.test(value)) return `'${value}' must be a whole number`;
    if (!ordered && !VALUE.test(value)) return `'${value}' is not a label value`;
  }
  return null;
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
