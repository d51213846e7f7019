import { parseDuration } from '../../core/model/duration.ts';
import { parseListenAddress } from '../listen-address.ts';
import type { Setting } from './settings-schema.ts';

export type ReadValue = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/**
 * One raw value (text from the environment or a flag, any YAML value from the file) as the setting's type. Text is read
 * as the type asks; YAML values must be of the type, since a quoted "true" in a file is a mistake worth naming.
 */
export function readValue(setting: Setting, raw: unknown, fromText: boolean): ReadValue {
  switch (setting.type) {
    case 'boolean':
      return readBoolean(raw, fromText);
    case 'integer':
    case 'number':
      return readNumber(setting, raw, fromText);
    case 'duration':
      return readDuration(setting, raw);
    case 'address':
      return readAddress(raw);
    case 'list':
      return readList(setting, raw, fromText);
    case 'string':
      return readString(setting, raw);
  }
}

function readBoolean(raw: unknown, fromText: boolean): ReadValue {
  if (typeof raw === 'boolean') return { ok: true, value: raw };
  if (fromText && (raw === 'true' || raw === 'false')) return { ok: true, value: raw === 'true' };
  return { ok: false, message: 'must be true or false' };
}

function readNumber(setting: Setting, raw: unknown, fromText: boolean): ReadValue {
  const value = fromText && typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
  const what = setting.type === 'integer' ? 'a whole number' : 'a number';
  const range = describeRange(setting);
  if (typeof value !== 'number' || !Number.isFinite(value)) return { ok: false, message: `must be ${what}${range}` };
  if (setting.type === 'integer' && !Number.isInteger(value)) return { ok: false, message: `must be a whole number${range}` };
  const tooSmall =
    (setting.minimum !== undefined && value < setting.minimum) ||
    (setting.exclusiveMinimum !== undefined && value <= setting.exclusiveMinimum);
  const tooLarge = setting.maximum !== undefined && value > setting.maximum;
  return tooSmall || tooLarge ? { ok: false, message: `must be ${what}${range}` } : { ok: true, value };
}

function describeRange(setting: Setting): string {
  const parts = [
    setting.minimum === undefined ? '' : ` of at least ${setting.minimum}`,
    setting.exclusiveMinimum === undefined ? '' : ` above ${setting.exclusiveMinimum}`,
    setting.maximum === undefined ? '' : ` and at most ${setting.maximum}`,
  ];
  return parts.join('');
}

function readDuration(setting: Setting, raw: unknown): ReadValue {
  const example = 'a duration such as 30s, 10m or 1h30m';
  if (typeof raw !== 'string') return { ok: false, message: `must be ${example}` };
  const parsed = parseDuration(raw);
  if (!parsed.ok) return { ok: false, message: `must be ${example}: ${parsed.message}` };
  const shortest = setting.shortest === undefined ? undefined : parseDuration(setting.shortest);
  if (shortest?.ok === true && parsed.value < shortest.value) return { ok: false, message: `must be at least ${setting.shortest ?? ''}` };
  return { ok: true, value: parsed.value };
}

function readAddress(raw: unknown): ReadValue {
  if (typeof raw === 'string' && parseListenAddress(raw) !== undefined) return { ok: true, value: raw };
  return { ok: false, message: 'must be an address such as :9090 or 127.0.0.1:9090' };
}

function readList({ items: each }: Setting, raw: unknown, fromText: boolean): ReadValue {
  const given = fromText && typeof raw === 'string' ? itemsOf(raw) : raw;
  const pattern = new RegExp(each?.pattern ?? '');
  if (Array.isArray(given) && given.every((item) => typeof item === 'string' && pattern.test(item))) return { ok: true, value: given };
  if (each !== undefined) return { ok: false, message: `must be a list of ${each.form}` };
  return { ok: false, message: fromText ? 'must be a list with commas between' : 'must be a list of texts' };
}

function itemsOf(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function readString(setting: Setting, raw: unknown): ReadValue {
  if (typeof raw !== 'string') return { ok: false, message: 'must be a text' };
  if (setting.enum !== undefined && !setting.enum.includes(raw)) return { ok: false, message: `must be one of ${setting.enum.join(', ')}` };
  return { ok: true, value: raw };
}
