import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { RequestCounts } from './request-counts.ts';
import { ResourceStore, Versions } from './resource-store.ts';
import { WatchResponse } from './watch-response.ts';

/** A response whose client has not read everything when it ends, so that it does not close. */
class UnreadResponse extends EventEmitter {
  writableEnded = false;
  readonly sentAfterEnd: string[] = [];

  writeHead(): void {
    // Not read.
  }

  flushHeaders(): void {
    // Not read.
  }

  write(text: string): boolean {
    if (this.writableEnded) this.sentAfterEnd.push(text);
    return true;
  }

  end(): void {
    this.writableEnded = true;
    this.emit('ended');
  }
}

test('a watch that has timed out sends nothing more until its connection closes', async () => {
  const store = new ResourceStore('Pod', 'v1', new Versions());
  const response = new UnreadResponse();
  const query = { name: null, from: store.versions.last, timeoutSeconds: 0 };
  const watch = new WatchResponse(store, response as unknown as ServerResponse, query);
  const served = watch.serve(new RequestCounts());
  await once(response, 'ended');
  store.save({ key: 'shop/web', version: 0, text: () => '{}' });
  watch.bookmark();
  response.emit('close');
  await served;
  expect(response.sentAfterEnd).toEqual([]);
});
