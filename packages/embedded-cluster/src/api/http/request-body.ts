// Parses request bodies into JSON that later code can process without further checks.

import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { ApiStatusError, badRequest } from '../api-error.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { PROTOBUF_TYPE, type ProtobufDecoder } from '../protobuf/protobuf.ts';

/** The request limit of etcd. */
const BODY_MAX_BYTES = 3 * 1024 * 1024;
/** Far beyond any real object. Copying, comparing and validating recurse, so deeper objects would overflow the stack. */
const DEPTH_MAX = 500;

export interface RequestBody {
  /** undefined for an empty one. */
  readonly value: unknown;
  /** Paths of duplicate fields; the last of each counts. */
  readonly duplicateFields: readonly string[];
}

const EMPTY: RequestBody = { value: undefined, duplicateFields: [] };

/** Throws ApiStatusError 400, 413 or 415 for an unacceptable body. */
export async function readBody(request: IncomingMessage, contentType: string, protobuf: ProtobufDecoder): Promise<RequestBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES)
      throw new ApiStatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_MAX_BYTES}`);
    chunks.push(chunk);
  }
  if (size === 0) return EMPTY;
  const bytes = Buffer.concat(chunks);
  const type = contentType.split(';', 1)[0]?.trim() ?? '';
  if (type === PROTOBUF_TYPE) {
    const value = protobuf.decode(bytes);
    checkBody(value);
    return { value, duplicateFields: [] };
  }
  const text = bytes.toString('utf8');
  const value = parseBody(text, type);
  checkBody(value);
  // The YAML parser refuses them itself.
  return { value, duplicateFields: type.endsWith('yaml') ? [] : duplicateFields(text) };
}

function parseBody(text: string, type: string): unknown {
  try {
    if (type.endsWith('+yaml') || type.endsWith('/yaml')) return parseYaml(text) as unknown;
    if (type.endsWith('+json') || type.endsWith('/json') || type === '*/*') return JSON.parse(text) as unknown;
  } catch (error) {
    // The YAML parser recurses.
    if (error instanceof Error && error.message.includes('call stack')) throw tooDeep();
    throw badRequest(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new ApiStatusError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}

function checkBody(body: unknown): void {
  const levels: { readonly value: unknown; readonly depth: number }[] = [{ value: body, depth: 1 }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const { value, depth } = level;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEPTH_MAX) throw tooDeep();
    // Copying such a member would set the prototype and lose the member.
    if (Object.hasOwn(value, '__proto__')) throw badRequest('the field name "__proto__" is not supported; choose another');
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) levels.push({ value: member, depth: depth + 1 });
    }
  }
}

function tooDeep(): ApiStatusError {
  return badRequest(`the body is nested too deeply: at most ${DEPTH_MAX} levels are supported`);
}
