import { HmacSigner } from '../../src/runtime/hmac-signer.ts';

/** Signs with a fixed key. */
export const TEST_SIGNER = new HmacSigner(() => Buffer.alloc(32, 7));
