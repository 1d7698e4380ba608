/** The OpenAPI description as a page for people, without scripts or external resources. */

import * as z from 'zod/mini';
import type { Call } from '../../api/call.ts';
import { roleWord } from '../../domain/roles.ts';
import type { HandledCall } from '../../handlers.ts';
import { pathTemplate } from './openapi.ts';

const STYLE = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
code { font: 13px ui-monospace, monospace }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line) }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .4rem .8rem }
summary { cursor: pointer; display: flex; gap: .8rem; flex-wrap: wrap; align-items: baseline }
summary b { min-width: 4rem; font: 600 13px ui-monospace, monospace }
summary span { opacity: .75 }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 }
td, th { text-align: left; padding: .2rem .6rem .2rem 0; border-top: 1px solid var(--line); vertical-align: top }
pre { overflow: auto; padding: .6rem; background: color-mix(in srgb, currentColor 6%, transparent) }
`;

export function openApiPage(handled: readonly HandledCall[], version: string): string {
  const nouns = [...new Set(handled.map(({ noun }) => noun))];
  const sections = nouns.map((noun) => {
    const rows = handled.filter((one) => one.noun === noun).map(({ call }) => entry(call));
    return `<h2 id="${noun}">${noun}</h2>${rows.join('')}`;
  });
  const links = nouns.map((noun) => `<a href="#${noun}">${noun}</a>`).join(' ');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Management API</title><style>${STYLE}</style></head><body>
<h1>Management API ${escaped(version)}</h1>
<p>For programs: <a href="/api/openapi.json">openapi.json</a>. Sign in, or send an access token in <code>Authorization</code>.</p>
<p>${links}</p>
${sections.join('\n')}
</body></html>`;
}

function entry(call: Call): string {
  const ways = [call, ...(call.also ?? [])]
    .map(({ method, path }) => `${method} ${pathTemplate(path)}`)
    .join(', ');
  const [method = '', ...rest] = ways.split(' ');
  return `<details><summary><b>${method}</b><code>${escaped(rest.join(' '))}</code><span>${escaped(call.summary)}</span></summary>
<p>Role: ${roleWord(call.role)}.</p>${fields(call)}${reply(call)}</details>`;
}

function fields(call: Call): string {
  const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' });
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const need = schema.required?.includes(name) ? 'required' : '';
    return `<tr><td><code>${escaped(name)}</code></td><td>${need}</td><td><code>${escaped(JSON.stringify(property))}</code></td></tr>`;
  });
  return rows.length === 0
    ? ''
    : `<table><tr><th>Field</th><th></th><th>Schema</th></tr>${rows.join('')}</table>`;
}

function reply(call: Call): string {
  if (call.reply.def.type === 'void') return '';
  const { $schema: _, ...schema } = z.toJSONSchema(call.reply, {
    io: 'output',
    unrepresentable: 'any',
  });
  return `<p>Answers</p><pre><code>${escaped(JSON.stringify(schema, null, 2))}</code></pre>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
