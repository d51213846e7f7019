// Decodes protobuf objects of Go clients into JSON. Typed clients of client-go (kubectl drain, auth can-i, create …; any operator in Go)
// send protobuf for built-in kinds; they all accept JSON responses, so no encoder is needed.

import { badRequest } from '../api-error.ts';
import { PROTOBUF_FIELDS } from './protobuf-fields.generated.ts';
import { wireFields, type WireValue } from './protobuf-wire.ts';

/** Magic bytes before every object, followed by `runtime.Unknown`. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

interface Field {
  /** '' when the members of the message are inlined into its parent. */
  readonly name: string;
  readonly isList: boolean;
  readonly isMap: boolean;
  /** A pointer in Go: a transmitted zero is significant. */
  readonly isPointer: boolean;
  /**
   * A message by name, or `s` text, `b` boolean, `i` integer, `d` double, `y` bytes, `t` Time, `u` MicroTime, `n` Duration,
   * `q` Quantity, `o` IntOrString, `j` JSON in bytes, `v` list of texts in a message of its own.
   */
  readonly type: string;
}

type Message = ReadonlyMap<number, Field>;
type Json = Record<string, unknown>;

export class ProtobufDecoder {
  #messages: ReadonlyMap<string, Message> | null = null;

  /** Throws ApiStatusError 400 for bytes that are not an object, or an object without a protobuf form. */
  decode(bytes: Buffer): Json {
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
      throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
    try {
      return this.#unknown(bytes.subarray(MAGIC.length));
    } catch (error) {
      if (error instanceof RangeError) throw badRequest(`the protobuf body cannot be read: ${error.message}`);
      throw error;
    }
  }

  #unknown(bytes: Buffer): Json {
    let typeMeta: Json = {};
    let raw: Buffer = Buffer.alloc(0);
    for (const { number, value } of wireFields(bytes)) {
      if (value.wire !== 'bytes') continue;
      if (number === 1) typeMeta = typeMetaOf(value.bytes);
      if (number === 2) raw = value.bytes;
    }
    const apiVersion = String(typeMeta['apiVersion']);
    const kind = String(typeMeta['kind']);
    // DeleteOptions and the like belong to every group.
    const name = [messageName(apiVersion, kind), `meta/v1.${kind}`].find((candidate) => this.#message(candidate) !== undefined);
    if (name === undefined)
      throw badRequest(`no kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)} is known in protobuf; send JSON`);
    return { apiVersion, kind, ...this.#object(name, raw) };
  }

  #object(name: string, bytes: Buffer): Json {
    const message = this.#message(name);
    const object: Json = {};
    for (const { number, value } of wireFields(bytes)) {
      const field = message?.get(number);
      if (field !== undefined) this.#put(object, field, value);
    }
    return object;
  }

  #put(object: Json, field: Field, value: WireValue): void {
    const { name, type } = field;
    if (field.isMap) {
      const [key, member] = this.#entry(type, bytesOf(value));
      object[name] = { ...(object[name] as Json | undefined), [key]: member };
      return;
    }
    if (field.isList) {
      const list = (object[name] ??= []) as unknown[];
      list.push(...this.#items(type, value));
      return;
    }
    const decoded = this.#value(type, value);
    if (name === '') Object.assign(object, decoded);
    else if (field.isPointer || !isZero(decoded)) object[name] = decoded;
  }

  /** Numbers of a list may be packed into one field. */
  #items(type: string, value: WireValue): unknown[] {
    if (type !== 'i' || value.wire !== 'bytes') return [this.#value(type, value)];
    // A packed list is the bare numbers: given a tag each, it reads like a message.
    const numbers: unknown[] = [];
    const tagged = Buffer.concat(
      [...value.bytes].flatMap((byte, index, all) => (isNumberStart(all, index) ? [Buffer.from([8, byte])] : [Buffer.from([byte])])),
    );
    for (const { value: number } of wireFields(tagged)) numbers.push(this.#value('i', number));
    return numbers;
  }

  #entry(type: string, bytes: Buffer): readonly [string, unknown] {
    let key = '';
    let member: unknown = type === 's' ? '' : {};
    for (const { number, value } of wireFields(bytes)) {
      if (number === 1) key = bytesOf(value).toString('utf8');
      else if (number === 2) member = this.#value(type, value);
    }
    return [key, member];
  }

  #value(type: string, value: WireValue): unknown {
    switch (type) {
      case 'b':
        return value.wire === 'varint' && value.value !== 0n;
      case 'i':
        return value.wire === 'varint' ? Number(BigInt.asIntN(64, value.value)) : 0;
      case 'd':
        return value.wire === 'fixed64' ? value.bytes.readDoubleLE() : 0;
      case 's':
        return bytesOf(value).toString('utf8');
      case 'y':
        return bytesOf(value).toString('base64');
      default:
        return this.#structured(type, bytesOf(value));
    }
  }

  #structured(type: string, bytes: Buffer): unknown {
    switch (type) {
      case 't':
        return timeOf(bytes, 'whole seconds');
      case 'u':
        return timeOf(bytes, 'microseconds');
      case 'n':
        return `${Number(integerIn(bytes, 1)) / 1e9}s`;
      case 'q':
        return textIn(bytes, 1);
      case 'o':
        return integerIn(bytes, 1) === 1n ? textIn(bytes, 3) : Number(integerIn(bytes, 2));
      case 'j':
        return jsonIn(bytes);
      case 'v':
        return [...wireFields(bytes)].map(({ value }) => bytesOf(value).toString('utf8'));
      default:
        return this.#object(type, bytes);
    }
  }

  #message(name: string): Message | undefined {
    this.#messages ??= parseTable(PROTOBUF_FIELDS);
    return this.#messages.get(name);
  }
}

function parseTable(text: string): ReadonlyMap<string, Message> {
  const messages = new Map<string, Message>();
  for (const line of text.split('\n')) {
    const [name = '', ...fields] = line.split(' ');
    if (name !== '') messages.set(name, new Map(fields.filter((field) => field !== '').map(parseField)));
  }
  return messages;
}

function parseField(text: string): readonly [number, Field] {
  const [name = '', number = '', code = ''] = text.split(':');
  const match = /^(\*?)(\[\]|\{\})?(\*?)(.+)$/.exec(code);
  const container = match?.[2];
  return [
    Number(number),
    {
      name: name === '+' ? '' : name,
      isPointer: match?.[1] === '*',
      isList: container === '[]',
      isMap: container === '{}',
      type: match?.[4] ?? '',
    },
  ];
}

/** `apps/v1`, `Deployment` → `apps/v1.Deployment`; the first part of a group's name is its package. */
function messageName(apiVersion: string, kind: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? `core/${group}.${kind}` : `${group.split('.')[0] ?? ''}/${version}.${kind}`;
}

function typeMetaOf(bytes: Buffer): Json {
  return { apiVersion: textIn(bytes, 1), kind: textIn(bytes, 2) };
}

function bytesOf(value: WireValue): Buffer {
  return value.wire === 'varint' ? Buffer.alloc(0) : value.bytes;
}

function textIn(bytes: Buffer, wanted: number): string {
  for (const { number, value } of wireFields(bytes)) if (number === wanted) return bytesOf(value).toString('utf8');
  return '';
}

function integerIn(bytes: Buffer, wanted: number): bigint {
  for (const { number, value } of wireFields(bytes))
    if (number === wanted && value.wire === 'varint') return BigInt.asIntN(64, value.value);
  return 0n;
}

/** null for the zero time, as Go writes it. */
function timeOf(bytes: Buffer, precision: 'whole seconds' | 'microseconds'): string | null {
  const seconds = Number(integerIn(bytes, 1));
  const nanos = Number(integerIn(bytes, 2));
  if (seconds === 0 && nanos === 0) return null;
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return precision === 'whole seconds' ? `${text}Z` : `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

function jsonIn(bytes: Buffer): unknown {
  const text = textIn(bytes, 1);
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw badRequest('a field of the protobuf body that carries JSON cannot be read');
  }
}

/** Values that Go omits from JSON with `omitempty`. */
function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The first byte of a varint in a run of them. */
function isNumberStart(bytes: readonly number[], index: number): boolean {
  return index === 0 || (bytes[index - 1] ?? 0) < 0x80;
}
