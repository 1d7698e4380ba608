import { describe, expect, test } from 'vitest';
import { PNG, type Row, spoken, translated, user, WEATHER_SCHEMA } from '../hub/requests.ts';

const HI = [user('Hi')];
const HI_WRITTEN = [{ role: 'user', parts: [{ text: 'Hi' }] }];
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: WEATHER_SCHEMA } }];
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'f', arguments: '{"city":"Oslo"}' },
};
const THIRD = { model: 'gemini-3.1-pro-preview' };
const SECOND = { model: 'gemini-2.5-flash' };
const FIRST = { model: 'gemini-2.0-flash' };
const LEVELS = { model: 'gemini-3.6-flash' };
const ARGON = { model: 'gemini-4-argon' };

const FROM_CHAT: readonly Row[] = [
  {
    name: 'system messages are instructions, neighbours of one role one content',
    sent: {
      messages: [
        { role: 'system', content: 'One' },
        { role: 'developer', content: 'Two' },
        ...HI,
        user('again'),
        { role: 'assistant', content: 'Yes' },
      ],
    },
    written: {
      systemInstruction: { parts: [{ text: 'One' }, { text: 'Two' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { text: 'again' }] },
        { role: 'model', parts: [{ text: 'Yes' }] },
      ],
    },
  },
  {
    name: 'pictures, sounds and files are bytes; addresses stay addresses',
    sent: {
      messages: [
        user([
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'video_url', video_url: { url: 'https://youtu.be/x' } },
        ]),
      ],
    },
    written: {
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: PNG } },
            { inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } },
            { fileData: { fileUri: 'https://youtu.be/x' } },
          ],
        },
      ],
    },
  },
  {
    name: 'results are objects with the name of their call, in the order of the calls',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { ...CALL, extra_content: { google: { thought_signature: 'SIG' } } },
            { ...CALL, id: 'call_2', function: { name: 'g', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_2', content: '{"ok":true}' },
        { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
      ],
      tools: TOOLS,
    },
    target: THIRD,
    written: {
      contents: [
        ...HI_WRITTEN,
        {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'call_1', name: 'f', args: { city: 'Oslo' } },
              thoughtSignature: 'SIG',
            },
            { functionCall: { id: 'call_2', name: 'g', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call_1', name: 'f', response: { result: 'sun' } } },
            { functionResponse: { id: 'call_2', name: 'g', response: { ok: true } } },
          ],
        },
      ],
    },
  },
  {
    name: 'a lost signature is remembered by its call',
    sent: { messages: [...HI, { role: 'assistant', content: null, tool_calls: [CALL] }] },
    target: {
      ...THIRD,
      gemini: { signatureOf: (id) => (id === 'call_1' ? 'KEPT' : undefined) },
    },
    written: {
      contents: [
        ...HI_WRITTEN,
        {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'call_1', name: 'f', args: { city: 'Oslo' } },
              thoughtSignature: 'KEPT',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'an unknown one is replaced, on the first call of a group only',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [CALL, { ...CALL, id: 'call_2' }] },
      ],
    },
    target: THIRD,
    written: {
      contents: [
        ...HI_WRITTEN,
        {
          role: 'model',
          parts: [
            {
              functionCall: { id: 'call_1', name: 'f', args: { city: 'Oslo' } },
              thoughtSignature: 'skip_thought_signature_validator',
            },
            { functionCall: { id: 'call_2', name: 'f', args: { city: 'Oslo' } } },
          ],
        },
      ],
    },
  },
  {
    name: 'schemas go as they are to models that read JSON schema',
    sent: { messages: HI, tools: TOOLS, tool_choice: 'required' },
    target: SECOND,
    written: {
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: WEATHER_SCHEMA }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    },
  },
  {
    name: 'D63 schemas for older models contain only supported fields; a tool without parameters has none',
    sent: {
      messages: HI,
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { ...WEATHER_SCHEMA, additionalProperties: false } },
        },
        {
          type: 'function',
          function: { name: '1 odd', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
    },
    target: FIRST,
    written: {
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: WEATHER_SCHEMA },
            { name: expect.stringMatching(/^_1_odd_[0-9a-f]{8}$/) },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    },
  },
  {
    name: 'Google’s own tools are asked for by their names, beside others where both may be',
    sent: {
      messages: HI,
      tools: [...TOOLS, { type: 'function', function: { name: 'googleSearch' } }],
    },
    target: THIRD,
    written: {
      tools: [
        { functionDeclarations: [{ name: 'f', parametersJsonSchema: WEATHER_SCHEMA }] },
        { googleSearch: {} },
      ],
    },
  },
  {
    name: 'the client’s tools win where not',
    sent: { messages: HI, tools: TOOLS, web_search_options: {} },
    target: SECOND,
    written: {
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: WEATHER_SCHEMA }] }],
    },
  },
  {
    name: 'sampling has Google’s names',
    sent: {
      messages: HI,
      max_tokens: 5,
      temperature: 0.1,
      top_p: 0.2,
      seed: 3,
      presence_penalty: 0.4,
      frequency_penalty: 0.5,
      logprobs: true,
      top_logprobs: 2,
      stop: ['1', '2', '3', '4', '5', '6'],
      user: 'u',
    },
    written: {
      generationConfig: {
        maxOutputTokens: 5,
        temperature: 0.1,
        topP: 0.2,
        seed: 3,
        presencePenalty: 0.4,
        frequencyPenalty: 0.5,
        responseLogprobs: true,
        logprobs: 2,
        stopSequences: ['1', '2', '3', '4', '5'],
      },
      user: undefined,
    },
  },
  {
    name: 'a schema for the answer is JSON schema where it is read',
    sent: {
      messages: HI,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: WEATHER_SCHEMA } },
    },
    target: SECOND,
    written: {
      generationConfig: {
        responseMimeType: 'application/json',
        responseJsonSchema: WEATHER_SCHEMA,
      },
    },
  },
  {
    name: 'thinking is a budget on the second generation',
    sent: { messages: HI, reasoning_effort: 'high' },
    target: SECOND,
    written: {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 24576 } },
    },
  },
  {
    name: 'which some models cannot switch off',
    sent: { messages: HI, reasoning_effort: 'none' },
    target: { model: 'gemini-2.5-pro' },
    written: {
      generationConfig: { thinkingConfig: { includeThoughts: false, thinkingBudget: 128 } },
    },
  },
  {
    name: 'and a level on the third',
    sent: { messages: HI, thinking: { type: 'enabled', budget_tokens: 4000 } },
    target: LEVELS,
    written: {
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'MEDIUM' } },
    },
  },
  {
    name: 'off is the lowest level there',
    sent: { messages: HI, reasoning_effort: 'none' },
    target: ARGON,
    written: {
      generationConfig: { thinkingConfig: { includeThoughts: false, thinkingLevel: 'LOW' } },
    },
  },
  {
    name: 'safety thresholds are those of the operator',
    sent: { messages: HI },
    target: { gemini: { safety: { default: 'OFF', HARM_CATEGORY_HARASSMENT: 'BLOCK_NONE' } } },
    written: {
      safetySettings: [
        { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' },
        { category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'OFF' },
        { category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', threshold: 'OFF' },
        { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'OFF' },
      ],
    },
  },
  {
    name: 'several answers are candidates',
    sent: { messages: HI, n: 3 },
    written: { generationConfig: { candidateCount: 3 } },
  },
  {
    name: 'models that draw are asked for both',
    sent: { messages: HI },
    target: { model: 'gemini-3-pro-image' },
    written: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
  },
];

describe('a chat request for Gemini', () => {
  test.each(FROM_CHAT)('$name', (row) => {
    const written = translated('chat', 'gemini', { model: 'x', ...row.sent }, row.target);
    expect(spoken(written, row)).toEqual(row.written);
  });
});

const FROM_ANTHROPIC: readonly Row[] = [
  {
    name: 'Google’s signature comes back from the thoughts before the call, Anthropic’s is left out',
    sent: {
      messages: [
        ...HI,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'c', signature: 'anthropics' },
            // gateway1:gemini:SIG
            { type: 'thinking', thinking: 'g', signature: 'Z2F0ZXdheTE6Z2VtaW5pOlNJRw==' },
            { type: 'tool_use', id: 't1', name: 'f', input: {} },
          ],
        },
        user([
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [
              { type: 'text', text: 'x' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            ],
          },
        ]),
      ],
    },
    target: THIRD,
    written: {
      contents: [
        ...HI_WRITTEN,
        {
          role: 'model',
          parts: [
            { text: 'g', thought: true },
            { functionCall: { id: 't1', name: 'f', args: {} }, thoughtSignature: 'SIG' },
          ],
        },
        {
          role: 'user',
          parts: [
            {
              functionResponse: {
                id: 't1',
                name: 'f',
                response: { result: 'x' },
                parts: [{ inlineData: { mimeType: 'image/png', data: PNG } }],
              },
            },
          ],
        },
      ],
    },
  },
  {
    name: 'pictures of results follow them on the second generation, and errors are marked',
    sent: {
      messages: [
        ...HI,
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
        user([
          {
            type: 'tool_result',
            tool_use_id: 't1',
            is_error: true,
            content: [
              { type: 'text', text: 'bad' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
            ],
          },
        ]),
      ],
    },
    target: FIRST,
    written: {
      contents: [
        ...HI_WRITTEN,
        { role: 'model', parts: [{ functionCall: { id: 't1', name: 'f', args: {} } }] },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 't1', name: 'f', response: { error: 'bad' } } },
            { inlineData: { mimeType: 'image/png', data: PNG } },
          ],
        },
      ],
    },
  },
  {
    name: 'Anthropic’s web search is Google’s',
    sent: {
      messages: HI,
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
    },
    written: { tools: [{ googleSearch: {} }] },
  },
];

describe('a Messages request for Gemini', () => {
  test.each(FROM_ANTHROPIC)('$name', (row) => {
    const sent = { model: 'x', max_tokens: 99, ...row.sent };
    expect(spoken(translated('anthropic', 'gemini', sent, row.target), row)).toEqual(row.written);
  });
});

test('a Gemini request to Google keeps the fields only Google knows', () => {
  const sent = {
    contents: [
      {
        role: 'user',
        parts: [{ text: 'Hi' }, { fileData: { mimeType: 'video/mp4', fileUri: 'gs://b/o' } }],
      },
      { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'x' } }] },
    ],
    generationConfig: { topK: 4, speechConfig: { languageCode: 'de' }, mediaResolution: 'LOW' },
    safetySettings: [{ category: 'X', threshold: 'Y' }],
    cachedContent: 'cachedContents/1',
    tools: [{ urlContext: {} }, { googleSearch: { timeRangeFilter: {} } }],
  };
  expect(translated('gemini', 'gemini', sent, THIRD)).toEqual(sent);
});
