import { DAY_MS } from '#kube/units';
import { HmacSigner } from '../../src/runtime/hmac-signer.ts';

/** Signs with a fixed key. */
export const TEST_SIGNER = new HmacSigner(() => Buffer.alloc(32, 7));

/** How a test's store records access events: 90 days, in a chain with a fixed writer, signed. */
export const ACCESS_EVENT_OPTIONS = { accessEventRetentionMs: 90 * DAY_MS, writer: 'evenkeel-controller-0', signer: TEST_SIGNER };
