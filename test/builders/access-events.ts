import type { AccessEvent } from '../../src/core/access/events/access-event.ts';

/** An event with fields that differ by its index. */
export const anAccessEvent = (index: number, at = 1_000 * index): AccessEvent => ({
  at,
  actor: { email: `user-${index % 2}@example.com`, via: 'session', keyId: null },
  action: index % 2 === 0 ? 'setBounds' : 'holdWorkload',
  target: `Deployment/shop/web-${index}`,
  outcome: index % 3 === 0 ? 'denied' : 'allowed',
  before: null,
  // Text that a cluster may contain, as JSON.
  after: { index, text: `it's "done" – ñ 漢 🙂 \0 \ud800` },
  requestId: `r${index}`,
  address: '10.0.0.1',
});
