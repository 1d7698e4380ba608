/** Gemini requests for a chat upstream. */
import { describe, expect, test } from 'vitest';
import { PNG, type Row, spoken, translated, user } from '../hub/requests.ts';

const HI = [user('Hi')];
const IMAGE_URL = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };
const SAYS_HI = [{ role: 'user', parts: [{ text: 'Hi' }] }];

const FROM_GEMINI: readonly Row[] = [
  {
    name: 'D65 Google’s fields are read in both spellings, the model’s turns are the assistant’s',
    sent: {
      system_instruction: { parts: [{ text: 'S' }] },
      contents: [
        { parts: [{ text: 'Hi' }, { inline_data: { mime_type: 'image/png', data: PNG } }] },
        { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Yes' }] },
      ],
      generation_config: { max_output_tokens: 7, stop_sequences: ['x'], top_p: 0.1 },
    },
    written: {
      messages: [
        { role: 'system', content: 'S' },
        user([{ type: 'text', text: 'Hi' }, IMAGE_URL]),
        { role: 'assistant', content: 'Yes', reasoning_content: 'hm' },
      ],
      max_tokens: 7,
      stop: ['x'],
      top_p: 0.1,
    },
  },
  {
    name: 'calls without ids and their results are paired by name, in order',
    sent: {
      contents: [
        ...SAYS_HI,
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'SIG' },
            { functionCall: { name: 'f', args: { a: 2 } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'f', response: { result: 'one' } } },
            { functionResponse: { name: 'f', response: { error: 'two' } } },
          ],
        },
      ],
    },
    written: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 'call_0',
              type: 'function',
              function: { name: 'f', arguments: '{"a":1}' },
              extra_content: { google: { thought_signature: 'SIG' } },
            },
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":2}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: 'one' },
        { role: 'tool', tool_call_id: 'call_1', content: 'Error: two' },
      ],
    },
  },
  {
    name: 'schemas lose Google’s spelling',
    sent: {
      contents: SAYS_HI,
      tools: [
        {
          functionDeclarations: [
            {
              name: 'f',
              parameters: {
                type: 'OBJECT',
                properties: {
                  a: { type: 'STRING', nullable: true },
                  b: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' },
                },
                propertyOrdering: ['b', 'a'],
              },
            },
          ],
        },
        { googleSearch: {} },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { x: { type: 'NUMBER' } } },
        thinkingConfig: { thinkingBudget: 9000, includeThoughts: true },
      },
      safetySettings: [],
      cachedContent: 'cachedContents/1',
    },
    target: { chat: { takesEffort: true } },
    written: {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: {
              type: 'object',
              properties: {
                a: { type: ['string', 'null'] },
                b: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
              },
            },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'answer',
          schema: { type: 'object', properties: { x: { type: 'number' } } },
        },
      },
      reasoning_effort: 'high',
      safetySettings: undefined,
      cachedContent: undefined,
    },
  },
];

describe('a Gemini request for a chat upstream', () => {
  test.each(FROM_GEMINI)('$name', (row) => {
    const written = translated('gemini', 'chat', row.sent, row.target);
    expect(spoken(written, row)).toEqual(row.written);
  });
});
