/** Edits of the client's JSON text keep every character of unchanged parts. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { isTooDeep, MAX_JSON_DEPTH } from '../../../src/domain/text/json-depth.ts';
import { renderJson, topMembers } from '../../../src/json/edit-json-text.ts';
import type { JsonObject } from '../../../src/json/read-json.ts';
import { shapeBody } from '../../../src/providers/requests/shape-body.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import { holds } from './holds.ts';
import { literal, memberOf, textOf } from './json-texts.ts';
import { anyText } from './pieces.ts';

const name = fc.oneof(
  literal,
  fc.constantFrom(
    '"model"',
    '"mo\\u0064el"',
    '"stream"',
    '"__proto__"',
    '"constructor"',
    '"toString"',
  ),
);
const body = fc.array(memberOf(name), { maxLength: 6 });
/** Normalises what JSON cannot distinguish: -0 is 0, a lone surrogate is its escape. */
function plain(given: unknown): unknown {
  return JSON.parse(JSON.stringify(given));
}

holds(
  'editing the text gives what editing the value gives, and leaves the rest as it was typed',
  fc.property(
    body,
    fc.array(fc.tuple(fc.nat(8), fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })), {
      maxLength: 3,
    }),
    fc.array(fc.tuple(anyText, fc.jsonValue({ maxDepth: 1 })), { maxLength: 2 }),
    (members, changes, additions) => {
      const text = textOf(members);
      const before: JsonObject = JSON.parse(text);
      const names = Object.keys(before);
      const entries = new Map(Object.entries(before));
      for (const [at, next] of changes) {
        const changed = names[at];
        if (changed === undefined) continue;
        if (next === undefined) entries.delete(changed);
        else entries.set(changed, next);
      }
      for (const [added, next] of additions) entries.set(added, next);
      const after: JsonObject = Object.fromEntries(entries);
      const written = renderJson(text, before, after);
      expect(plain(JSON.parse(written))).toEqual(plain(after));
      for (const one of members) {
        const own = JSON.parse(one.name);
        if (entries.has(own) && Object.is(entries.get(own), before[own]))
          expect(written).toContain(one.value.text);
      }
    },
  ),
  { runs: 400 },
);

holds(
  'the members of a text are those it was made of, with their depth',
  fc.property(body, (members) => {
    const found = topMembers(textOf(members));
    expect(found.map((one) => [one.name, one.depth])).toEqual(
      members.map((one) => [JSON.parse(one.name), one.value.depth]),
    );
    found.forEach((one, at) => {
      const given = members[at];
      expect(one.text).toBe(`${given?.name}${given?.after}:${given?.before}${given?.value.text}`);
    });
  }),
  { runs: 300 },
);

holds(
  'depth is measured as the value nests',
  fc.property(fc.integer({ min: 0, max: 2 * MAX_JSON_DEPTH }), fc.boolean(), (depth, inLists) => {
    let nested: unknown = 'x';
    for (let level = 0; level < depth; level += 1)
      nested = inLists ? [0, nested] : { a: 1, b: nested };
    expect(isTooDeep(nested)).toBe(depth > MAX_JSON_DEPTH);
  }),
);

const chatBody = fc.record(
  {
    model: anyText,
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('system', 'developer', 'user', 'tool', 'odd'),
        content: anyText,
      }),
      { maxLength: 3 },
    ),
    stream: fc.boolean(),
    temperature: fc.oneof(fc.double(), fc.constant(null)),
    max_completion_tokens: fc.integer(),
    tools: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant([])),
    reasoning_effort: fc.constantFrom('none', 'high', 7),
    response_format: fc.jsonValue({ maxDepth: 2 }),
    unknown_field: fc.jsonValue({ maxDepth: 3 }),
  },
  { requiredKeys: ['model'] },
);

holds(
  'no provider loses a field that nobody knows, or touches what the client sent',
  fc.property(
    fc.constantFrom(...PROVIDERS),
    fc.constantFrom('chat', 'completions', 'responses', 'embeddings'),
    chatBody,
    fc.boolean(),
    (provider, endpoint, given, stream) => {
      const text = JSON.stringify(given);
      const before: JsonObject = JSON.parse(text);
      const shaping = { upstreamModel: 'up/stream', stream, isListed: false };
      const after = shapeBody(provider, endpoint, before, shaping);
      expect(JSON.stringify(before)).toBe(text);
      if (after === 'unchanged') return;
      const written = JSON.parse(renderJson(text, before, after));
      expect(written).toEqual(JSON.parse(JSON.stringify(after)));
      expect(written.unknown_field).toEqual(before.unknown_field);
      expect(written.model).toBe('up/stream');
    },
  ),
  { runs: 300 },
);
