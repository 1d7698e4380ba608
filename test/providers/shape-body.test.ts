import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderJson } from '../../src/json/edit-json-text.ts';
import type { JsonObject } from '../../src/json/read-json.ts';
import { readNameSuffix } from '../../src/providers/requests/model-rules.ts';
import { type Shaping, shapeBody } from '../../src/providers/requests/shape-body.ts';
import type { ProviderEndpoint } from '../../src/providers/rows/provider-row.ts';
import { providerOf } from '../../src/providers/rows/provider-rows.ts';

const OPENAI = 1;
const MISTRAL = 42;
const DEEPSEEK = 43;

interface Given extends Partial<Shaping> {
  readonly endpoint?: ProviderEndpoint;
}

function shaped(type: number, body: JsonObject, given: Given = {}): JsonObject | 'unchanged' {
  const { endpoint = 'chat', ...shaping } = given;
  const usual = { upstreamModel: String(body.model), stream: body.stream === true, isListed: true };
  return shapeBody(providerOf(type), endpoint, Object.freeze(body), { ...usual, ...shaping });
}

test('an accepted body passes through unchanged', () => {
  const body = {
    model: 'gpt-4o',
    messages: [],
    temperature: 0.3,
    max_tokens: 5,
    thinking: { type: 'enabled' },
  };
  expect(shaped(OPENAI, body)).toBe('unchanged');
  expect(shaped(OPENAI, { ...body, stream: true, stream_options: { include_usage: true } })).toBe(
    'unchanged',
  );
});

test('replaces a mapped model and keeps unknown fields', () => {
  const body = { model: 'mine', x_new: { deep: [1] }, messages: [] };
  expect(shaped(OPENAI, body, { upstreamModel: 'gpt-4o' })).toEqual({ ...body, model: 'gpt-4o' });
});

test('requests stream usage from providers that send it only on request', () => {
  const body = { model: 'm', stream: true, stream_options: { include_obfuscation: false } };
  expect(shaped(OPENAI, body)).toEqual({
    ...body,
    stream_options: { include_obfuscation: false, include_usage: true },
  });
  expect(shaped(OPENAI, { model: 'm', stream: true, stream_options: null })).toMatchObject({
    stream_options: { include_usage: true },
  });
  expect(shaped(20, { model: 'm', stream: true })).toBe('unchanged');
  expect(shaped(OPENAI, { model: 'm', stream: true }, { endpoint: 'embeddings' })).toBe(
    'unchanged',
  );
});

test('the upstream may get another response mode than the client', () => {
  const body = { model: 'm', stream: true, stream_options: { include_usage: true } };
  expect(shaped(OPENAI, body, { stream: false })).toEqual({ model: 'm', stream: false });
  expect(shaped(OPENAI, { model: 'm' }, { stream: true })).toEqual(body);
});

test('drops or renames fields that a provider refuses', () => {
  const body = {
    model: 'm',
    stream: true,
    stream_options: {},
    logit_bias: {},
    seed: 7,
    max_completion_tokens: 9,
  };
  expect(shaped(MISTRAL, body)).toEqual({
    model: 'm',
    stream: true,
    random_seed: 7,
    max_tokens: 9,
  });
});

test('a limit given under both names keeps the one the provider knows', () => {
  const body = { model: 'm', max_tokens: 1, max_completion_tokens: 2 };
  expect(shaped(DEEPSEEK, body)).toEqual({ model: 'm', max_tokens: 1 });
  expect(shaped(OPENAI, { ...body, model: 'gpt-5.5' })).toEqual({
    model: 'gpt-5.5',
    max_completion_tokens: 2,
  });
});

test.each(['o1', 'o3-mini', 'o4-mini', 'gpt-5.5', 'gpt-6.2-sol'])(
  '%s gets the new name of the limit and no sampling',
  (model) => {
    const body = {
      model,
      max_tokens: 5,
      temperature: 0.2,
      top_p: 1,
      presence_penalty: 0.5,
      logprobs: true,
      user: 'u',
    };
    const expected = { model, max_completion_tokens: 5, top_p: 1, user: 'u' };
    expect(shaped(OPENAI, body)).toEqual(expected);
    expect(shaped(3, body)).toEqual(expected);
  },
);

test('keeps sampling if reasoning is off or the model does not reason', () => {
  const body = { model: 'gpt-5.5', temperature: 0.2, reasoning_effort: 'none' };
  expect(shaped(OPENAI, body)).toBe('unchanged');
  expect(shaped(OPENAI, { ...body, model: 'o3' })).toEqual({
    model: 'o3',
    reasoning_effort: 'none',
  });
  expect(shaped(OPENAI, { model: 'gpt-5-chat-latest', temperature: 0.2 })).toBe('unchanged');
  expect(shaped(OPENAI, { model: 'gpt-4o', temperature: 0.2, max_tokens: 1 })).toBe('unchanged');
});

test('model rules do not apply to another server with a model of the same name', () => {
  const body = { model: 'gpt-5.5', max_tokens: 5, temperature: 0.2 };
  expect(shaped(1012, body)).toBe('unchanged');
  expect(shaped(OPENAI, body, { endpoint: 'completions' })).toBe('unchanged');
});

test('removes fixed sampling fields for Kimi models, but not for others there', () => {
  expect(shaped(25, { model: 'kimi-k2.6', temperature: 0.3, n: 1 })).toEqual({
    model: 'kimi-k2.6',
    n: 1,
  });
  expect(shaped(25, { model: 'moonshot-v1-8k', temperature: 0.3 })).toBe('unchanged');
});

test('replaces open range ends by the nearest number inside', () => {
  expect(shaped(16, { model: 'glm-5', temperature: 1, top_p: 0 })).toMatchObject({
    temperature: 0.99,
    top_p: 0.01,
  });
  expect(shaped(16, { model: 'glm-5', temperature: 0.5, top_p: null })).toBe('unchanged');
});

test('renames the system role to what the model expects', () => {
  const messages = [
    { role: 'developer', content: 'a' },
    { role: 'user', content: 'b' },
  ];
  expect(shaped(DEEPSEEK, { model: 'm', messages })).toMatchObject({
    messages: [{ role: 'system', content: 'a' }, messages[1]],
  });
  const old = [{ role: 'system', content: 'a' }];
  expect(shaped(OPENAI, { model: 'o3', messages: old })).toMatchObject({
    messages: [{ role: 'developer' }],
  });
  expect(shaped(OPENAI, { model: 'gpt-4o', messages: old })).toBe('unchanged');
});

test('reads an effort suffix only if the channel does not list such a model', () => {
  const body = { model: 'o3-mini-high', messages: [] };
  expect(shaped(OPENAI, body, { isListed: false })).toEqual({
    model: 'o3-mini',
    reasoning_effort: 'high',
    messages: [],
  });
  expect(shaped(OPENAI, body, { isListed: true })).toBe('unchanged');
  expect(shaped(1012, body, { isListed: false })).toBe('unchanged');
});

test('reads efforts from the names of models that have them', () => {
  expect(readNameSuffix('openai', 'gpt-5.5-xhigh')).toEqual({
    model: 'gpt-5.5',
    fields: { reasoning_effort: 'xhigh' },
  });
  expect(readNameSuffix('xai', 'grok-3-mini-low')).toEqual({
    model: 'grok-3-mini',
    fields: { reasoning_effort: 'low' },
  });
  expect(readNameSuffix('openai', 'gpt-4o-high')).toBeUndefined();
  expect(readNameSuffix('moonshot', 'kimi-k2.6-high')).toBeUndefined();
  expect(readNameSuffix('openai', 'o3-mini')).toBeUndefined();
});

test('nulls and empty lists pass through in the same dialect', () => {
  const body = { model: 'gpt-5.5', temperature: null, max_tokens: 0, tools: [], stop: [] };
  const { max_tokens: _old, ...rest } = body;
  expect(shaped(OPENAI, body)).toEqual({ ...rest, max_completion_tokens: 0 });
});

test('an edited body keeps the bytes of unchanged fields', () => {
  const text =
    '{ "model" : "a", "seed":12345678901234567890,\n "x":{"model":"inner","y":[1.0, "}\\""]}, "model":"a" }';
  const before = JSON.parse(text);
  expect(renderJson(text, before, { ...before, model: 'b', added: null, seed: before.seed })).toBe(
    '{"model":"b","seed":12345678901234567890,"x":{"model":"inner","y":[1.0, "}\\""]},"model":"b","added":null}',
  );
  expect(renderJson(text, before, before)).toBe(text);
  expect(renderJson(text, before, { ...before, model: undefined, x: undefined })).toBe(
    '{"seed":12345678901234567890}',
  );
});

test('edited JSON text always parses to the edited object', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });
  fc.assert(
    fc.property(object, object, fc.constantFrom(0, 1, 3), (before, changes, indent) => {
      const text = ` ${JSON.stringify(before, null, indent)}\n`;
      const parsed = JSON.parse(text);
      const after = { ...parsed, ...changes };
      expect(JSON.parse(renderJson(text, parsed, after))).toEqual(
        JSON.parse(JSON.stringify(after)),
      );
      const [first] = Object.keys(parsed);
      if (first === undefined) return;
      const { [first]: _gone, ...rest } = parsed;
      expect(JSON.parse(renderJson(text, parsed, { ...parsed, [first]: undefined }))).toEqual(rest);
    }),
  );
});
