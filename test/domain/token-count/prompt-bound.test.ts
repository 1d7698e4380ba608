/** The maximum number of input tokens that a request can be billed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addedBy } from '../../../src/domain/pricing/paid-fields.ts';
import { promptTokenBound } from '../../../src/domain/token-count/prompt-bound.ts';

function boundOf(body: object): number {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const { tokens, audioTokens } = promptTokenBound({
    body,
    bytes,
    model: 'gemini-2.5-pro',
    context: undefined,
    added: addedBy(body, { model: 'gemini-2.5-pro' }),
  });
  return tokens + audioTokens;
}

const data = fc.base64String({ minLength: 4_000, maxLength: 12_000 });
const mime = fc.constantFrom('image/png', 'audio/mp3', 'application/pdf', 'text/plain');

/** Images, audio and files in the forms of every dialect. */
const media = fc.oneof(
  fc.record({ inlineData: fc.record({ mimeType: mime, data }) }),
  fc.record({ inline_data: fc.record({ mime_type: mime, data }) }),
  fc.record({ type: fc.constantFrom('image', 'document'), source: fc.record({ data }) }),
  fc.record({
    type: fc.constant('image_url'),
    image_url: fc.record({ url: data.map((text) => `data:image/png;base64,${text}`) }),
  }),
  fc.record({ type: fc.constant('input_audio'), input_audio: fc.record({ data }) }),
  fc.record({ type: fc.constant('file'), file: fc.record({ file_data: data }) }),
);

/** Media in lists and under the field names that messages use. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    media,
    fc.array(tie('json'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.constantFrom('content', 'parts', 'source', 'output', 'row'), tie('json'), {
      minKeys: 1,
      maxKeys: 2,
    }),
  ),
}));

/** Where a model receives JSON as text: tool arguments and tool results. */
const QUOTED: Readonly<Record<string, (json: unknown) => object>> = {
  'functionResponse of Gemini': (response) => ({
    contents: [{ role: 'user', parts: [{ functionResponse: { name: 'f', response } }] }],
  }),
  'function_response of Gemini': (response) => ({
    contents: [{ role: 'user', parts: [{ function_response: { name: 'f', response } }] }],
  }),
  'functionCall of Gemini': (args) => ({
    contents: [{ role: 'model', parts: [{ functionCall: { name: 'f', args } }] }],
  }),
  'tool_use of Anthropic': (input) => ({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] }],
  }),
  'arguments that are an object': (given) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: given } }] },
    ],
  }),
};

describe('JSON that a model receives as text', () => {
  it.each(Object.entries(QUOTED))('is counted byte for byte in a %s', (_name, wrap) => {
    fc.assert(
      fc.property(json, (given) => {
        const bytes = Buffer.byteLength(JSON.stringify(given));
        expect(boundOf(wrap(given))).toBeGreaterThanOrEqual(bytes);
      }),
      { numRuns: 50 },
    );
  });
});

describe('media of a message', () => {
  const picture = 'A'.repeat(400_000);
  it.each<[string, object]>([
    [
      'a picture',
      { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: picture } }] }] },
    ],
    [
      'a picture in the answer of a function',
      {
        contents: [
          {
            parts: [
              {
                functionResponse: {
                  name: 'f',
                  response: { ok: true },
                  parts: [{ inlineData: { mimeType: 'image/png', data: picture } }],
                },
              },
            ],
          },
        ],
      },
    ],
    [
      'a picture in the result of a tool',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 'a',
                content: [{ type: 'image', source: { type: 'base64', data: picture } }],
              },
            ],
          },
        ],
      },
    ],
    [
      'a picture in the output of a call',
      {
        input: [
          {
            type: 'function_call_output',
            call_id: 'a',
            output: [{ type: 'input_image', image_url: `data:image/png;base64,${picture}` }],
          },
        ],
      },
    ],
  ])('%s counts by its formula, not by its bytes', (_name, body) => {
    expect(boundOf(body)).toBeLessThan(20_000);
  });
});
