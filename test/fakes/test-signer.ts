import { HmacSigner } from '../../src/runtime/hmac-signer.ts';

/** Signs with a key that every test knows. */
export const TEST_SIGNER = new HmacSigner(() => Buffer.alloc(32, 7));
