// pods/log: what a container wrote, cut as the query asks, and on demand what it writes from now on.

import { isObject } from '#kube/json';
import type { Clock } from '../../ports/clock.ts';
import { text, type Answer } from '../answer.ts';
import { ApiStatusError, badRequest, notFound } from '../api-error.ts';
import { readPath } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { LogLine, LogProvider } from '../providers.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Throws ApiStatusError where the container is unknown or the query makes no sense. */
export function podLog(provider: LogProvider | undefined, pod: KubeObject, query: Query, clock: Clock): Answer {
  if (provider === undefined) throw new ApiStatusError(503, 'ServiceUnavailable', 'no container runtime is simulated in this cluster');
  const container = containerOf(pod, query['container']);
  // A pod that runs nowhere has said nothing.
  if ((readPath(pod, ['spec', 'nodeName']) ?? '') === '') return text(204, '');
  const print = query['timestamps'] === 'true' ? (line: LogLine) => `${nanoTime(line.at)} ${line.text}` : (line: LogLine) => line.text;
  const since = sinceInstant(query, clock.now());
  const all = provider.lines(pod, container, query['previous'] === 'true').filter((line) => line.at >= since);
  const tail = wholeNumber(query, 'tailLines');
  const lines = tail === null ? all : all.slice(Math.max(0, all.length - tail));

  if (query['follow'] === 'true') {
    return {
      kind: 'stream',
      status: 200,
      headers: {},
      contentType: 'text/plain',
      open(sink) {
        for (const line of lines) sink.push(print(line));
        return provider.follow(
          pod,
          container,
          (line) => sink.push(print(line)),
          () => sink.end(),
        );
      },
    };
  }
  const body = lines.map((line) => `${print(line)}\n`).join('');
  const limit = wholeNumber(query, 'limitBytes');
  return text(200, limit === null ? body : Buffer.from(body).subarray(0, limit).toString(), 'text/plain');
}

function containerOf(pod: KubeObject, asked: string | undefined): string {
  const namesAt = (field: string): string[] => {
    const list = readPath(pod, ['spec', field]);
    return Array.isArray(list) ? list.filter(isObject).map((container) => String(container['name'])) : [];
  };
  const names = namesAt('containers');
  const every = [...names, ...namesAt('initContainers')];
  const { name } = pod.metadata;
  if (asked !== undefined && asked !== '') {
    if (every.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  if (only === undefined) throw notFound({ group: '', kind: 'Pod', plural: 'pods', name });
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${every.join(' ')}]`);
}

function sinceInstant(query: Query, now: number): number {
  const seconds = wholeNumber(query, 'sinceSeconds');
  if (seconds !== null) return now - seconds * 1000;
  const time = query['sinceTime'];
  if (time === undefined) return 0;
  const instant = Date.parse(time);
  if (Number.isNaN(instant)) throw badRequest(`sinceTime: ${JSON.stringify(time)} is no RFC 3339 time`);
  return instant;
}

function wholeNumber(query: Query, name: string): number | null {
  const given = query[name];
  if (given === undefined || given === '') return null;
  if (!/^\d+$/.test(given)) throw badRequest(`${name}: ${JSON.stringify(given)} must be a whole number of at least 0`);
  return Number(given);
}

function nanoTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000000Z');
}
