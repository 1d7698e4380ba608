import { expect, test } from 'vitest';
import { withParamOverride } from '../../src/dialects/openai/param-override.ts';
import { withSystemPrompt } from '../../src/dialects/openai/system-prompt.ts';
import { type CheckedEndpoint, validateRequest } from '../../src/dialects/openai/validate.ts';
import { AppError } from '../../src/domain/errors/errors.ts';

const USER = { role: 'user', content: 'hi' };
const CHAT = { model: 'm', messages: [USER] };

function refusal(endpoint: CheckedEndpoint, body: Record<string, unknown>): string {
  try {
    validateRequest(endpoint, body);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return `${error.code} ${error.param}`;
  }
}

test('names a required field when it is missing', () => {
  expect(refusal('chat', { messages: [USER] })).toBe('field_missing model');
  expect(refusal('chat', { model: '', messages: [USER] })).toBe('field_missing model');
  expect(refusal('chat', { model: 'm' })).toBe('field_missing messages');
  expect(refusal('chat', { ...CHAT, messages: [USER, { content: 'x' }] })).toBe(
    'field_missing messages.1.role',
  );
  expect(refusal('completions', { model: 'm' })).toBe('field_missing prompt');
  expect(refusal('embeddings', { model: 'm', input: null })).toBe('field_missing input');
  expect(refusal('moderations', { model: 'm' })).toBe('field_missing input');
});

test('names a field of the wrong type', () => {
  const wrong: Record<string, unknown> = {
    model: 7,
    messages: [],
    stream: 'true',
    stream_options: 'usage',
    max_tokens: 2 ** 30 + 1,
    max_completion_tokens: 1.5,
    n: 0,
    temperature: '1',
    top_p: [],
  };
  for (const [field, value] of Object.entries(wrong)) {
    expect(refusal('chat', { ...CHAT, [field]: value })).toBe(`field_wrong ${field}`);
  }
  expect(refusal('chat', { ...CHAT, messages: ['hi'] })).toBe('field_wrong messages.0');
  expect(refusal('chat', { ...CHAT, messages: [{ role: 1 }] })).toBe('field_wrong messages.0.role');
});

test('accepts nulls, zeros and empty lists', () => {
  const odd = {
    max_tokens: 0,
    temperature: null,
    stream: null,
    n: null,
    stream_options: null,
    tools: [],
    stop: [],
    unknown_field: { a: 1 },
  };
  expect(refusal('chat', { ...CHAT, ...odd, max_completion_tokens: 2 ** 30 })).toBe('accepted');
});

test('accepts every form of prompt and input', () => {
  for (const form of ['text', '', ['a', 'b'], [1, 2], [[1], [2]]]) {
    expect(refusal('completions', { model: 'm', prompt: form })).toBe('accepted');
    expect(refusal('embeddings', { model: 'm', input: form })).toBe('accepted');
    expect(refusal('moderations', { model: 'm', input: form })).toBe('accepted');
  }
});

test("puts the channel's system prompt before the client's first system message", () => {
  const body = {
    messages: [USER, { role: 'system', content: 'old' }, { role: 'system', content: 'last' }],
  };
  expect(withSystemPrompt(body, 'new').messages).toEqual([
    USER,
    { role: 'system', content: 'new\n\nold' },
    { role: 'system', content: 'last' },
  ]);
  const developer = { messages: [{ role: 'developer', content: [{ type: 'text', text: 'old' }] }] };
  expect(withSystemPrompt(developer, 'new').messages).toEqual([
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'new' },
        { type: 'text', text: 'old' },
      ],
    },
  ]);
});

test("puts the channel's system prompt first if there is no system message", () => {
  expect(withSystemPrompt(CHAT, 'new').messages).toEqual([
    { role: 'system', content: 'new' },
    USER,
  ]);
  expect(CHAT.messages).toEqual([USER]);
  expect(withSystemPrompt(CHAT, '')).toBe(CHAT);
});

test('an override replaces whole fields and adds new ones', () => {
  const body = { model: 'm', response_format: { type: 'text', a: 1 }, kept: 1 };
  const override = { response_format: { type: 'json_object' }, top_k: 5 };
  expect(withParamOverride(body, override)).toEqual({ model: 'm', kept: 1, ...override });
  expect(withParamOverride(body, { kept: 1 })).toBe(body);
});

test('an override cannot change the object prototype', () => {
  const override = JSON.parse('{"__proto__":{"polluted":1},"constructor":1,"prototype":2,"a":3}');
  const made = withParamOverride({ model: 'm' }, override);
  expect(Object.keys(made)).toEqual(['model', 'a']);
  expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
});
