// A message of a client, as far as it must be known before the SDK reads it.

import { hasMoreValues } from '../openapi/validator.ts';
import { invalidRequest } from '../problem.ts';
import { cleanText } from './clean-text.ts';

/** Values of a message, lists and objects included. The SDK takes a second for the values that fit into 1 MiB. */
const MAX_VALUES = 1_000;
/** Maximum of a name in the protocol. */
const MAX_NAME = 128;
/** Maximum of an address: a namespace and a name have 253 characters each. */
const MAX_URI = 1_000;

/** Methods that run tools, by what they name. */
const CALLS = { 'tools/call': 'tool', 'prompts/get': 'prompt', 'resources/read': 'resource' } as const;
export type Called = (typeof CALLS)[keyof typeof CALLS];

export type McpMessage =
  | { readonly kind: 'other' }
  /** A call of a tool, a prompt or a resource. */
  | { readonly kind: 'call'; readonly called: Called; readonly name: string }
  | { readonly kind: 'malformed'; readonly called: Called; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

/** Reads a parsed body. @throws Problem for a batch, and for a message with too many values */
export function readMessage(body: unknown): McpMessage {
  if (Array.isArray(body))
    throw invalidRequest([{ path: '', message: 'is a batch, which is not supported; send one message per request' }]);
  if (hasMoreValues(body, MAX_VALUES)) throw invalidRequest([{ path: '', message: `has more than ${MAX_VALUES} values` }]);
  const { method, params } = fieldsOf(body);
  const called = typeof method === 'string' && Object.hasOwn(CALLS, method) ? CALLS[method as keyof typeof CALLS] : null;
  if (called === null) return { kind: 'other' };
  const { name, uri, arguments: given } = fieldsOf(params);
  const field = called === 'resource' ? 'uri' : 'name';
  const named = called === 'resource' ? uri : name;
  if (typeof named !== 'string' || named === '') return { kind: 'malformed', called, problem: `params.${field} must be a text` };
  if (called === 'resource' && named.length > MAX_URI) {
    return { kind: 'malformed', called, problem: `params.uri has more than ${MAX_URI} characters` };
  }
  const problem = problemOfArguments(called, given);
  return problem === null ? { kind: 'call', called, name: named } : { kind: 'malformed', called, problem: `params.arguments${problem}` };
}

/** What is wrong with the arguments besides what a tool checks; null: nothing. */
function problemOfArguments(called: Called, given: unknown): string | null {
  if (given === undefined) return null;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return ' must be an object';
  const values = Object.entries(given);
  if (values.some(([key]) => key === '__proto__')) return '.__proto__ is no argument';
  const noText = called === 'prompt' ? values.find(([, value]) => typeof value !== 'string') : undefined;
  return noText === undefined ? null : `.${cleanText(noText[0])} must be a text`;
}

/** A name as it is recorded and answered. */
export function shownName(name: string): string {
  return cleanText(name.slice(0, MAX_NAME));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
