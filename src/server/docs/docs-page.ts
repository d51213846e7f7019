// Renders the OpenAPI description as HTML: one self-contained page without scripts, rendered once at start.

import { createHash } from 'node:crypto';
import { envelopeSchema, type ApiDocument } from '../openapi/api-document.ts';
import type { Operation, ParameterSpec } from '../openapi/operation.ts';
import { pathParametersOf, queryParametersOf } from '../openapi/parameters.ts';
import type { Schema } from '../openapi/schema.ts';
import { escapeHtml } from '../page/escape-html.ts';
import { DOCS_STYLE } from './docs-style.ts';

/** The page, and the hash of its style sheet for the content security policy. */
export interface DocsPage {
  readonly html: string;
  readonly styleHash: string;
}

const CALLERS: Readonly<Record<Operation['access'], string>> = {
  open: 'everyone, without credentials',
  identified: 'any authenticated caller',
  viewer: 'any grant, filtered to its namespaces',
  operator: 'operators, in their namespaces',
  admin: 'admins',
  'admin-session': 'admins with a session',
  'pod-tool': 'admins, where the tool is enabled',
};

/** The reference page of an API. @param version of the product */
export function docsPage(api: ApiDocument, version: string): DocsPage {
  const tags = [...new Set(api.operations.map((operation) => operation.tag))];
  const operationsOf = (tag: string): readonly Operation[] => api.operations.filter((operation) => operation.tag === tag);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(api.title)}</title>
<link rel="icon" href="../../assets/mark.svg" type="image/svg+xml">
<style>${DOCS_STYLE}</style>
</head>
<body>
<div class="page">
<nav aria-label="Sections">
${tags.map((tag) => `<h2>${escapeHtml(tag)}</h2>\n${operationsOf(tag).map(link).join('\n')}`).join('\n')}
<h2>Records</h2>
${Object.keys(api.schemas)
  .map((name) => `<a href="#record-${name}">${name}</a>`)
  .join('\n')}
</nav>
<main>
<h1>${escapeHtml(api.title)}</h1>
<p>Version ${escapeHtml(version)}. Paths are relative to <code>${escapeHtml(api.basePath)}</code>; machine-readable: <a href="openapi.json">openapi.json</a>.</p>
<p>${prose(api.description)}</p>
${tags.map((tag) => `<h2>${escapeHtml(tag)}</h2>\n${operationsOf(tag).map(section).join('\n')}`).join('\n')}
<h2>Records</h2>
${Object.entries(api.schemas)
  .map(([name, schema]) => record(name, schema))
  .join('\n')}
</main>
</div>
</body>
</html>
`;
  return { html, styleHash: createHash('sha256').update(DOCS_STYLE).digest('base64') };
}

function link(operation: Operation): string {
  return `<a href="#${operation.id}">${operation.method.toUpperCase()} ${escapeHtml(operation.path)}</a>`;
}

function section(operation: Operation): string {
  const parameters = [...pathParametersOf(operation), ...queryParametersOf(operation)];
  const answer = operation.answer.raw === undefined ? envelopeSchema(operation).properties?.['data'] : undefined;
  return `<section id="${operation.id}">
<div class="path"><span class="method">${operation.method.toUpperCase()}</span>${escapeHtml(operation.path)}</div>
<h3>${escapeHtml(operation.title)}</h3>
${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
<p class="who">For ${CALLERS[operation.access]}.</p>
${parameters.length === 0 ? '' : `<h4>Parameters</h4>\n${parameterTable(parameters)}`}
${operation.body === undefined ? '' : `<h4>Body</h4>\n<p>${typeText(operation.body)}</p>`}
<h4>Answer ${operation.answer.status}</h4>
<p>${escapeHtml(operation.answer.description)} ${answer === undefined ? `<code>${escapeHtml(operation.answer.raw ?? '')}</code>` : `<code>data</code>: ${typeText(answer)}`}${operation.answer.summary === undefined ? '' : `; <code>meta.summary</code>: ${typeText(operation.answer.summary)}`}</p>
</section>`;
}

function parameterTable(parameters: readonly ParameterSpec[]): string {
  const rows = parameters.map(
    (parameter) =>
      `<tr><td><code>${escapeHtml(parameter.name)}</code>${parameter.required === true ? ' <span class="required">required</span>' : ''}</td><td>${typeText(parameter.schema)}</td><td>${prose(parameter.description)}${parameter.schema.default === undefined ? '' : ` Default <code>${escapeHtml(JSON.stringify(parameter.schema.default))}</code>.`}</td></tr>`,
  );
  return `<table><tr><th>Name</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

function record(name: string, schema: Schema): string {
  return `<section id="record-${name}"><h3>${name}</h3>${schema.description === undefined ? '' : `<p>${prose(schema.description)}</p>`}${fieldTable(schema)}</section>`;
}

function fieldTable(schema: Schema): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return `<p>${typeText(schema)}</p>`;
  const rows = fields.map(([field, value]) => {
    const optional = schema.required?.includes(field) === true ? '' : ' <span class="who">optional</span>';
    return `<tr><td><code>${escapeHtml(field)}</code>${optional}</td><td>${typeText(value)}</td><td>${prose(value.description ?? '')}</td></tr>`;
  });
  return `<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#record-${name}">${name}</a>`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ');
  const types = schema.type === undefined ? ['any'] : [schema.type].flat();
  return types.map((type) => plainType(type, schema)).join(' or ');
}

function plainType(type: string, schema: Schema): string {
  if (type === 'array') return schema.items === undefined ? 'array' : `list of ${typeText(schema.items)}`;
  if (type !== 'object') return `${type}${schema.format === undefined ? '' : ` (${escapeHtml(schema.format)})`}`;
  if (schema.properties === undefined) {
    return typeof schema.additionalProperties === 'object' ? `map of ${typeText(schema.additionalProperties)}` : 'object';
  }
  const fields = Object.entries(schema.properties).map(([name, value]) => `<code>${escapeHtml(name)}</code>: ${typeText(value)}`);
  return `{ ${fields.join(', ')} }`;
}

/** Escapes text and renders words in backticks as code. */
function prose(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
