import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MediaPart, walkPrompt } from '../../../src/domain/token-count/prompt-parts.ts';
import {
  estimatePrompt,
  estimateTokens,
  transcriptionTokens,
  utf8Bytes,
} from '../../../src/domain/token-count/token-estimate.ts';
import { pngOf } from './png.ts';

/** Records everything that a walk visits. */
function met(body: unknown) {
  const seen = {
    texts: [] as string[],
    tokens: 0,
    messages: 0,
    tools: 0,
    media: [] as MediaPart[],
  };
  walkPrompt(body, {
    text: (text) => seen.texts.push(text),
    tokens: (count) => {
      seen.tokens += count;
    },
    message: () => {
      seen.messages++;
    },
    tool: () => {
      seen.tools++;
    },
    media: (part) => seen.media.push(part),
  });
  return seen;
}

const IMAGE = `data:image/png;base64,${'A'.repeat(2_000_000)}`;

describe('estimating text', () => {
  it('counts four bytes as a token', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('abcd')).toBe(1);
    expect(estimateTokens('abcde')).toBe(2);
    expect(estimateTokens('你好世界')).toBe(3);
  });

  it('knows the UTF-8 length of every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('extrapolates long texts from their beginning', () => {
    expect(estimateTokens('x'.repeat(4_000_000))).toBe(1_000_000);
  });

  it('bills transcriptions a thousand tokens a minute, whole seconds', () => {
    expect(transcriptionTokens(61.2)).toBe(1033);
    expect(transcriptionTokens(0)).toBe(0);
    expect(transcriptionTokens(-3)).toBe(0);
  });
});

describe('estimating a request', () => {
  it('counts messages with their overhead', () => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'a'.repeat(400) }] };
    expect(estimatePrompt(body, 'chat')).toBe(100 + 4 + 3);
  });

  it('counts token arrays by their length', () => {
    expect(estimatePrompt({ prompt: [1, 2, 3] }, 'completions')).toBe(3);
    expect(
      estimatePrompt(
        {
          input: [
            [1, 2],
            [3, 4, 5],
          ],
        },
        'embeddings',
      ),
    ).toBe(5);
    expect(estimatePrompt({ input: ['abcd', 'abcd'] }, 'embeddings')).toBe(2);
  });

  it('counts tools with the keys of their schemas', () => {
    const tool = {
      type: 'function',
      function: {
        name: 'weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    };
    const without = estimatePrompt({ messages: [{ role: 'user', content: 'hi' }] }, 'chat');
    const withTool = estimatePrompt(
      { messages: [{ role: 'user', content: 'hi' }], tools: [tool] },
      'chat',
    );
    expect(withTool - without).toBeGreaterThan(20);
    expect(withTool - without).toBeLessThan(60);
  });

  it.each<[string, unknown]>([
    ['OpenAI', { type: 'image_url', image_url: { url: IMAGE } }],
    ['Responses', { type: 'input_image', image_url: IMAGE }],
    ['Claude', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE } }],
    ['Gemini', { inlineData: { mimeType: 'image/png', data: IMAGE } }],
    ['a bare data URL', IMAGE],
    [
      'a tool result',
      {
        type: 'tool_result',
        tool_use_id: 't',
        content: [{ type: 'image', source: { data: IMAGE } }],
      },
    ],
  ])('estimates an image without a known size alike, whatever its bytes: %s', (_name, part) => {
    const body = { messages: [{ role: 'user', content: [part] }] };
    expect(estimatePrompt(body, 'chat')).toBe(765 + 4 + 3);
  });

  it.each([
    ['gpt-4o', 85 + 6 * 170],
    ['claude-opus-5-5', 92 * 46],
    ['gemini-2.5-flash', 258 * 18],
    ['gemini-3.1-pro', 1120],
  ])('estimates an image by its size like the model %s', (model, tokens) => {
    const part = { type: 'image_url', image_url: { url: pngOf(4000, 2000) } };
    const body = { messages: [{ role: 'user', content: [part] }] };
    expect(estimatePrompt(body, 'chat', model)).toBe(tokens + 4 + 3);
  });

  it('inspects a hundred images and assumes the ordinary size for the others', () => {
    const tiny = { type: 'image_url', image_url: { url: pngOf(10, 10) } };
    const body = { messages: [{ role: 'user', content: Array(150).fill(tiny) }] };
    expect(estimatePrompt(body, 'chat', 'gpt-4o')).toBe(100 * 255 + 50 * 765 + 7);
  });

  it('estimates audio by its length and files at a flat count', () => {
    const content = [
      { type: 'input_audio', input_audio: { data: 'A'.repeat(100_000), format: 'wav' } },
      { type: 'file', file: { file_data: 'A'.repeat(100_000), filename: 'a.pdf' } },
    ];
    expect(estimatePrompt({ messages: [{ role: 'user', content }] }, 'chat')).toBe(16 + 5000 + 7);
  });

  it('bills speech by the character for tts models, by the token for others', () => {
    expect(estimatePrompt({ model: 'tts-1', input: '你好 abc😀' }, 'speech')).toBe(7);
    expect(estimatePrompt({ model: 'gpt-4o-mini-tts', input: 'a'.repeat(40) }, 'speech')).toBe(10);
  });

  it('counts a rerank query once per document', () => {
    const body = {
      query: 'a'.repeat(40),
      documents: ['b'.repeat(80), { text: 'c'.repeat(80) }, 7],
    };
    expect(estimatePrompt(body, 'rerank')).toBe(3 * 10 + 20 + 20);
  });

  it('never throws on any client input', () => {
    const fields = fc.constantFrom(
      'messages',
      'input',
      'prompt',
      'tools',
      'contents',
      'system',
      'documents',
    );
    fc.assert(
      fc.property(
        fc.dictionary(fields, fc.jsonValue()),
        fc.constantFrom('chat', 'rerank', 'speech'),
        (body, endpoint) => {
          expect(estimatePrompt(body, endpoint)).toBeGreaterThanOrEqual(0);
        },
      ),
    );
    expect(estimatePrompt(undefined, 'chat')).toBe(0);
    expect(estimatePrompt([], 'chat')).toBe(0);
  });

  it('does bounded work on deep and wide requests', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 20_000; level++) deep = [deep];
    expect(estimatePrompt({ input: deep }, 'responses')).toBe(0);
    const wide = Array.from({ length: 1_000_000 }, () => 'abcd');
    expect(estimatePrompt({ input: wide }, 'embeddings')).toBeLessThanOrEqual(50_000);
  });
});

describe('walking a request', () => {
  it('visits text and skips metadata', () => {
    const seen = met({
      model: 'gpt-4o',
      user: 'someone',
      instructions: 'be brief',
      input: [
        {
          type: 'message',
          role: 'user',
          id: 'msg_1',
          content: [{ type: 'input_text', text: 'hi' }],
        },
        { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
        { type: 'reasoning', encrypted_content: 'gAAAA', summary: [] },
      ],
    });
    expect(seen.texts).toEqual(['be brief', 'hi', 'sunny']);
    expect(seen.messages).toBe(1);
  });

  it('reads a Claude document with text as text', () => {
    const part = {
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'the contract' },
    };
    expect(met({ messages: [{ role: 'user', content: [part] }] }).texts).toEqual(['the contract']);
  });

  it('finds the declarations inside Gemini tools', () => {
    const seen = met({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 'be brief' }] },
      tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }, { googleSearch: {} }],
    });
    expect(seen).toMatchObject({ texts: ['be brief', 'hi'], messages: 1, tools: 3 });
  });

  it('keeps the detail and the address of an image', () => {
    const part = {
      type: 'image_url',
      image_url: { url: 'https://example.com/a.png', detail: 'low' },
    };
    const { media } = met({ messages: [{ role: 'user', content: [part] }] });
    expect(media).toEqual([{ kind: 'image', data: 'https://example.com/a.png', detail: 'low' }]);
  });
});
