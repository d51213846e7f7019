// What a client sent over the wire, read into JSON that everything behind it can walk without a second thought.

import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { ApiStatusError, badRequest } from '../api-error.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { PROTOBUF_TYPE, type ProtobufDecoder } from '../protobuf/protobuf.ts';

/** As etcd limits a request, and more than any client of ours sends. */
const BODY_MAX_BYTES = 3 * 1024 * 1024;
/** No real object comes near it. Copying, comparing and validating recurse: far deeper ones would overflow the stack. */
const DEPTH_MAX = 500;

export interface RequestBody {
  /** undefined for an empty one. */
  readonly value: unknown;
  /** Paths of fields that the text gives twice; the last of them counts. */
  readonly duplicateFields: readonly string[];
}

const EMPTY: RequestBody = { value: undefined, duplicateFields: [] };

/** Throws ApiStatusError 400, 413 or 415 for one that is not taken. */
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
  // The reader of YAML refuses them by itself.
  return { value, duplicateFields: type.endsWith('yaml') ? [] : duplicateFields(text) };
}

function parseBody(text: string, type: string): unknown {
  try {
    if (type.endsWith('+yaml') || type.endsWith('/yaml')) return parseYaml(text) as unknown;
    if (type.endsWith('+json') || type.endsWith('/json') || type === '*/*') return JSON.parse(text) as unknown;
  } catch (error) {
    // The YAML reader recurses.
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
    // Copying such a member would set a prototype instead, and lose it.
    if (Object.hasOwn(value, '__proto__')) throw badRequest('the field name "__proto__" is not taken; choose another');
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null) levels.push({ value: member, depth: depth + 1 });
    }
  }
}

function tooDeep(): ApiStatusError {
  return badRequest(`the body is nested too deeply: at most ${DEPTH_MAX} levels are taken`);
}
