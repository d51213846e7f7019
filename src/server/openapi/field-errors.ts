import type { ErrorObject } from 'ajv/dist/2020.js';
import type { ErrorDetail } from '../../apis/http/types.generated.ts';

/** Maximum errors in one answer, since formatting all errors of a large body would take seconds. */
export const MAX_FIELD_ERRORS = 1000;

/** Converts ajv errors into one message per field. `locate` converts a JSON Pointer into the caller's path. */
export function fieldErrors(errors: readonly ErrorObject[], locate: (pointer: string) => string): readonly ErrorDetail[] {
  const seen = new Map<string, ErrorDetail>();
  for (const error of errors) {
    // The error of a nullable union adds nothing to those of its branches.
    if (error.keyword === 'anyOf' || error.keyword === 'if' || isNullBranch(error)) continue;
    if (seen.size === MAX_FIELD_ERRORS) {
      return [...seen.values(), { path: '', message: `has more errors than the ${MAX_FIELD_ERRORS} listed here` }];
    }
    const detail = { path: locate(pointerOf(error)), message: sentence(error) };
    seen.set(`${detail.path} ${detail.message}`, detail);
  }
  return [...seen.values()];
}

/** Whether the error is that of a nullable union's null branch. The other branch has the relevant error. */
function isNullBranch(error: ErrorObject): boolean {
  const { type } = error.params as { readonly type?: unknown };
  return error.keyword === 'type' && type === 'null' && /\/anyOf\/\d+\/type$/.test(error.schemaPath);
}

function pointerOf(error: ErrorObject): string {
  const params = error.params as { missingProperty?: string; additionalProperty?: string };
  const child =
    error.keyword === 'required'
      ? params.missingProperty
      : error.keyword === 'additionalProperties'
        ? params.additionalProperty
        : undefined;
  return child === undefined ? error.instancePath : `${error.instancePath}/${child.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function sentence(error: ErrorObject): string {
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return `is unknown here${knownFields(error)}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as readonly unknown[]).map((value) => String(value)).join(', ')}`;
    case 'type':
      return `must be ${[params['type']].flat().map(String).join(' or ')}`;
    case 'minItems':
      return `must have at least ${String(params['limit'])} item(s)`;
    case 'maxItems':
      return `must have at most ${String(params['limit'])} items`;
    case 'minProperties':
      return `must not be empty${knownFields(error)}`;
    case 'minLength':
      return Number(params['limit']) > 1 ? `must have at least ${String(params['limit'])} characters` : 'must not be empty';
    case 'maxLength':
      return `must have at most ${String(params['limit'])} characters`;
    case 'minimum':
      return `must be at least ${String(params['limit'])}`;
    case 'maximum':
      return `must be at most ${String(params['limit'])}`;
    case 'pattern':
      return patternMessage(error);
    default:
      return error.message ?? 'is not valid';
  }
}

function knownFields(error: ErrorObject): string {
  const properties = (error.parentSchema as { properties?: Readonly<Record<string, unknown>> } | undefined)?.properties;
  const names = Object.keys(properties ?? {});
  return names.length === 0 ? '' : `; known: ${names.join(', ')}`;
}

function patternMessage(error: ErrorObject): string {
  const { examples = [] } = (error.parentSchema as { examples?: readonly unknown[] } | undefined) ?? {};
  if (examples.length > 0) return `has another form; write a value such as ${examples.map(String).join(' or ')}`;
  return `must match ${String((error.params as Readonly<Record<string, unknown>>)['pattern'])}`;
}
