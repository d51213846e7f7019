import { describe, expect, test } from '@jest/globals';
import { fullHeapNeed, goMaxProcsOf, runtimeOf, type ContainerRuntime, type RuntimeTraces } from './container-runtime.ts';
import { GiB, MiB } from '../units.ts';

function detect(commandLine: readonly string[], env: Readonly<Record<string, string>> = {}, image = ''): ContainerRuntime | null {
  return runtimeOf({ ...NO_TRACES, commandLine, image, variable: (name) => env[name] ?? null });
}

const NO_TRACES: RuntimeTraces = { commandLine: [], variable: () => null, isFromLimit: () => false, image: '' };

describe('the runtime of a container', () => {
  test.each<[string, readonly string[], Record<string, string>, ContainerRuntime['name'], number]>([
    ['-Xmx in the arguments', ['java', '-Xmx2g', '-jar', 'app.jar'], {}, 'JVM', 2 * GiB],
    ['-Xmx in a shell command', ['sh', '-c', 'exec java -Xmx512M -jar app.jar'], {}, 'JVM', 512 * MiB],
    ['-Xmx in bytes', ['java', '-Xmx1073741824'], {}, 'JVM', GiB],
    ['-XX:MaxHeapSize', [], { JAVA_TOOL_OPTIONS: '-XX:MaxHeapSize=1g' }, 'JVM', GiB],
    ['arguments over JAVA_TOOL_OPTIONS', ['java', '-Xmx1g'], { JAVA_TOOL_OPTIONS: '-Xmx4g' }, 'JVM', GiB],
    ['_JAVA_OPTIONS over arguments', ['java', '-Xmx1g'], { _JAVA_OPTIONS: '-Xmx3g' }, 'JVM', 3 * GiB],
    ['an absolute size over a percentage', ['java', '-Xmx1g', '-XX:MaxRAMPercentage=75'], {}, 'JVM', GiB],
    ['NODE_OPTIONS', ['node', 'server.js'], { NODE_OPTIONS: '--enable-source-maps --max-old-space-size=1536' }, 'Node.js', 1536 * MiB],
    ['an argument of node', ['node', '--max_old_space_size=2048', 'server.js'], {}, 'Node.js', 2048 * MiB],
    ['GOMEMLIMIT', ['/app'], { GOMEMLIMIT: '900MiB' }, 'Go', 900 * MiB],
    ['GOMEMLIMIT in bytes', ['/app'], { GOMEMLIMIT: '1048576B' }, 'Go', MiB],
    ['the hard limit of .NET', ['dotnet', 'app.dll'], { DOTNET_GCHeapHardLimit: '0x40000000' }, '.NET', GiB],
  ])('%s limits the heap', (_, commandLine, env, name, heapBytes) => {
    expect(detect(commandLine, env)).toMatchObject({ name, heapBytes, heapShare: null });
  });

  test.each<[readonly string[], Record<string, string>, number]>([
    [['java'], { JAVA_TOOL_OPTIONS: '-XX:InitialRAMPercentage=50 -XX:MaxRAMPercentage=75.0' }, 0.75],
    [['dotnet'], { DOTNET_GCHeapHardLimitPercent: '4B' }, 0.75],
  ])('the heap can be a fraction of the limit: %p %p', (commandLine, env, heapShare) => {
    expect(detect(commandLine, env)).toMatchObject({ heapBytes: null, heapShare });
  });

  test.each<[readonly string[], Record<string, string>]>([
    [[], {}],
    [['/app'], { GOMEMLIMIT: 'off', NODE_OPTIONS: '--inspect' }],
    [['kubectl', 'get', 'node'], {}],
  ])('detects no runtime for %p %p', (commandLine, env) => {
    expect(detect(commandLine, env)).toBeNull();
  });

  test.each<[string, readonly string[], string, ContainerRuntime['name'], number]>([
    ['java', ['java', '-jar', 'app.jar'], '', 'JVM', 0.25],
    ['java with invalid options', ['java', '-Xmx0', '-Xmxlarge', '-XX:MaxRAMPercentage=0'], '', 'JVM', 0.25],
    ['java run by a shell', ['sh', '-c', 'set -e; exec java -jar app.jar'], '', 'JVM', 0.25],
    ['java with a path', ['/usr/lib/jvm/bin/java', '-jar', 'app.jar'], '', 'JVM', 0.25],
    ['a JDK image', [], 'docker.io/library/eclipse-temurin:21-jre', 'JVM', 0.25],
    ['an OpenJDK image', [], 'openjdk17:latest', 'JVM', 0.25],
    ['node', ['node', 'server.js'], '', 'Node.js', 0.25],
    ['a Node.js image', [], 'node:22-alpine', 'Node.js', 0.25],
    ['dotnet', ['dotnet', 'app.dll'], '', '.NET', 0.75],
    ['an ASP.NET image', [], 'mcr.microsoft.com/dotnet/aspnet:8.0', '.NET', 0.75],
  ])('%s without options sizes its heap from the limit', (_, commandLine, image, name, heapShare) => {
    expect(detect(commandLine, {}, image)).toEqual({ name, option: 'by default', heapBytes: null, heapShare });
  });

  test.each(['prom/node-exporter:v1', 'java.example.com/shop/web:1', 'shop/javascript-app', 'node.example.com:5000/web', ''])(
    'detects no runtime for image %p',
    (image) => {
      expect(detect([], {}, image)).toBeNull();
    },
  );

  test('GOMEMLIMIT from the limit by the downward API is the whole limit', () => {
    expect(runtimeOf({ ...NO_TRACES, isFromLimit: (name) => name === 'GOMEMLIMIT' })).toMatchObject({ name: 'Go', heapShare: 1 });
  });

  test.each<[string, number | null]>([
    ['4', 4],
    ['0', null],
    ['-1', null],
    ['many', null],
    ['', null],
  ])('GOMAXPROCS=%s is %p', (text, expected) => {
    expect(goMaxProcsOf({ ...NO_TRACES, variable: (name) => (name === 'GOMAXPROCS' ? text : null) })).toBe(expected);
  });

  test('a full heap needs 25% non-heap memory, at least 128 MiB; with GOMEMLIMIT 10%', () => {
    const requiredBytes = (name: ContainerRuntime['name'], heapBytes: number | null) =>
      fullHeapNeed({ name, option: '', heapBytes, heapShare: null });
    expect(requiredBytes('JVM', 2 * GiB)).toBe(2.5 * GiB);
    expect(requiredBytes('Node.js', 256 * MiB)).toBe(384 * MiB);
    expect(requiredBytes('Go', 1000 * MiB)).toBe(1100 * MiB);
    expect(requiredBytes('JVM', null)).toBeNull();
  });
});
