// Writes src/apis/http/types.generated.ts from the OpenAPI description in src/server/openapi/. `--check` writes nothing and exits with 1
// when the file is stale.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { isOptionalBody } from '../../src/server/openapi/api-document.ts';
import { COMPONENT_SCHEMAS, OPERATIONS } from '../../src/server/openapi/document.ts';
import { pathParametersOf, queryParametersOf } from '../../src/server/openapi/parameters.ts';
import type { Operation, ParameterSpec } from '../../src/server/openapi/operation.ts';
import type { Schema } from '../../src/server/openapi/schema.ts';

const TARGET = fileURLToPath(new URL('../../src/apis/http/types.generated.ts', import.meta.url));

/** TypeScript source of all records and operations of the dashboard API. */
export async function generateHttpTypes(): Promise<string> {
  const records = Object.entries(COMPONENT_SCHEMAS).map(([name, schema]) => `${comment(schema)}${declaration(name, schema)}`);
  const operations = OPERATIONS.map((operation) => `/** ${operation.title}. */\n${operation.id}: ${operationType(operation)};`);
  const source = [
    '// Made by hack/generate/generate-http-types.ts from src/server/openapi/. Not to be edited.',
    ...records,
    '/** What each operation takes and answers, by its id. */',
    `export interface Operations {\n${operations.join('\n')}\n}`,
    '',
  ].join('\n\n');
  return format(source, { ...(await resolveConfig(TARGET)), parser: 'typescript' });
}

function declaration(name: string, schema: Schema): string {
  const type = typeOf(schema);
  return type.startsWith('{') ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;
}

function operationType(operation: Operation): string {
  const body = operation.body === undefined ? 'undefined' : typeOf(operation.body);
  const fields = [
    `readonly path: ${parametersType(pathParametersOf(operation))}`,
    `readonly query: ${parametersType(queryParametersOf(operation))}`,
    `readonly body: ${body}${operation.body !== undefined && isOptionalBody(operation, COMPONENT_SCHEMAS) ? ' | undefined' : ''}`,
    `readonly data: ${typeOf(operation.answer.data)}`,
    `readonly summary: ${operation.answer.summary === undefined ? 'undefined' : typeOf(operation.answer.summary)}`,
  ];
  return `{ ${fields.join('; ')} }`;
}

function parametersType(parameters: readonly ParameterSpec[]): string {
  if (parameters.length === 0) return 'Readonly<Record<never, never>>';
  const fields = parameters.map((parameter) => {
    const always = parameter.required === true || parameter.schema.default !== undefined;
    return `readonly ${property(parameter.name)}${always ? '' : '?'}: ${typeOf(parameter.schema)}`;
  });
  return `{ ${fields.join('; ')} }`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.type === undefined) return 'unknown';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return types.map((type) => plainType(type, schema)).join(' | ');
}

function plainType(type: string, schema: Schema): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      if (schema.prefixItems !== undefined) return `readonly [${schema.prefixItems.map(typeOf).join(', ')}]`;
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return type;
  }
}

function objectType(schema: Schema): string {
  if (schema.properties === undefined) {
    const values = typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties) : 'unknown';
    return `Readonly<Record<string, ${values}>>`;
  }
  const fields = Object.entries(schema.properties).map(([name, value]) => {
    const optional = schema.required?.includes(name) === true ? '' : '?';
    return `${value.$ref === undefined ? comment(value) : ''}readonly ${property(name)}${optional}: ${typeOf(value)}`;
  });
  return `{ ${fields.join(';\n')} }`;
}

function property(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function comment(schema: Schema): string {
  return schema.description === undefined ? '' : `/** ${schema.description.replaceAll('*/', '* /')} */\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = await generateHttpTypes();
  if (process.argv.includes('--check')) {
    const found = readFileSync(TARGET, 'utf8');
    if (found !== wanted) {
      console.error('src/apis/http/types.generated.ts is stale: run `node hack/generate/generate-http-types.ts`.');
      process.exitCode = 1;
    }
  } else {
    writeFileSync(TARGET, wanted);
  }
}
