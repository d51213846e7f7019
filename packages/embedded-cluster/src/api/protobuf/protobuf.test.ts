import { describe, expect, test } from '@jest/globals';
import { ProtobufDecoder } from './protobuf.ts';

const text = (value: string): Buffer => Buffer.from(value);
/** A length-delimited field. */
const field = (number: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
};
const integer = (number: number, value: number): Buffer => Buffer.concat([varint(number << 3), varint(value)]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function sent(apiVersion: string, kind: string, ...fields: Buffer[]): Buffer {
  const typeMeta = field(1, field(1, text(apiVersion)), field(2, text(kind)));
  return Buffer.concat([Buffer.from('k8s\0'), typeMeta, field(2, ...fields)]);
}

const metadata = field(1, field(1, text('x')), field(3, text('default')), field(8), field(11, field(1, text('app')), field(2, text(''))));
const decoder = new ProtobufDecoder();

describe('protobuf bodies', () => {
  test('an eviction with delete options: pointers keep their zeros, the rest of the zeros go', () => {
    const options = field(2, integer(1, 0), field(2, field(1, text('uid-1'))));
    expect(decoder.decode(sent('policy/v1', 'Eviction', metadata, options))).toEqual({
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'x', namespace: 'default', labels: { app: '' } },
      deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'uid-1' } },
    });
  });

  test('delete options belong to every group', () => {
    expect(decoder.decode(sent('apps/v1', 'DeleteOptions', field(4, text('Orphan')), field(5, text('All'))))).toMatchObject({
      propagationPolicy: 'Orphan',
      dryRun: ['All'],
    });
  });

  test('bytes, quantities, numbers or texts, negative numbers, inlined members', () => {
    const secret = decoder.decode(sent('v1', 'Secret', metadata, field(2, field(1, text('key')), field(2, text('hi')))));
    expect(secret['data']).toEqual({ key: 'aGk=' });
    const request = field(2, field(1, text('cpu')), field(2, field(1, text('100m'))));
    const probe = field(10, field(1, field(2, field(1, text('/')), field(2, integer(1, 1), field(3, text('http'))))), integer(2, 5));
    const container = field(2, field(1, text('c')), field(8, request), probe);
    const volume = field(1, field(1, text('v')), field(2, field(2)));
    const pod = decoder.decode(sent('v1', 'Pod', metadata, field(2, volume, container, integer(25, -5))));
    expect(pod['spec']).toEqual({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'c',
          resources: { requests: { cpu: '100m' } },
          livenessProbe: { httpGet: { path: '/', port: 'http' }, initialDelaySeconds: 5 },
        },
      ],
      priority: -5,
    });
  });

  test.each([
    ['no magic', Buffer.from('{"a":1}')],
    ['an unknown kind', sent('example.com/v1', 'Boat', metadata)],
    ['a body that is cut off', sent('v1', 'Pod', metadata).subarray(0, 20)],
  ])('refuses %s with 400', (_what, bytes) => {
    expect(() => decoder.decode(bytes)).toThrow(expect.objectContaining({ code: 400 }));
  });
});
