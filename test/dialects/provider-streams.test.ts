/** Recorded provider streams, read by their dialect: one row per stored case. */
import { describe, expect, test } from 'vitest';
import { UPSTREAM_DIALECTS } from '../../src/dialects/all.ts';
import type { HubEvent } from '../../src/dialects/hub/answer/events.ts';
import type { UpstreamDialectName } from '../../src/dialects/hub/dialect.ts';
import {
  TaggedThinkingReader,
  withThinkingSeparated,
} from '../../src/dialects/hub/thinking/tagged-thinking.ts';
import { totalInput, totalOutput } from '../../src/domain/pricing/usage.ts';
import { frames, reader, relayed } from './frames.ts';
import { collected, context } from './hub/streams.ts';

const TEXT = 'Two birds 🙂';
const TOKENS = [42, 12] as const;

interface Case {
  readonly path: string;
  readonly dialect: UpstreamDialectName;
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly (readonly [string, string])[];
  readonly stop?: string;
  /** Prompt and completion tokens; undefined if the stream reports none. */
  readonly tokens?: readonly [number, number] | undefined;
  readonly cites?: string;
}

const CALL = [['get_weather', '{"city":"Oslo"}']] as const;

const CASES: readonly Case[] = [
  { path: 'dify/chat', dialect: 'dify', cites: 'https://birds.example/' },
  {
    path: 'dify/agent',
    dialect: 'dify',
    text: 'Drawn.![image](https://files.example/1.png)',
    tokens: [300, 20],
  },
  { path: 'dify/workflow', dialect: 'dify', text: 'Two birds', tokens: undefined },
  { path: 'coze/chat', dialect: 'coze', thinking: 'Count them.' },
  {
    path: 'cohere/chat',
    dialect: 'cohere',
    thinking: 'Count them.',
    cites: 'https://birds.example/',
  },
  {
    path: 'cohere/tool-call',
    dialect: 'cohere',
    text: '',
    thinking: 'I will look it up.',
    calls: CALL,
    stop: 'tool_calls',
  },
  { path: 'volcengine/chat-thinking', dialect: 'chat', thinking: 'Count them.' },
  { path: 'siliconflow/chat-usage-on-every-chunk', dialect: 'chat', thinking: 'Count them.' },
  { path: 'cloudflare/chat', dialect: 'chat' },
  { path: 'cerebras/chat-reasoning-time-info', dialect: 'chat', thinking: 'Count them.' },
  { path: 'deepinfra/chat-estimated-cost', dialect: 'chat' },
  { path: 'llamacpp/chat-timings', dialect: 'chat', thinking: 'Count them.' },
  {
    path: 'library/chat',
    dialect: 'library',
    text: 'Two birds 🙂\n\n1. [Birds](https://birds.example/)',
    tokens: undefined,
  },
  { path: 'ollama/chat', dialect: 'ollama', thinking: 'Count them.' },
  {
    path: 'ollama/tool-call-object-arguments',
    dialect: 'ollama',
    text: '',
    calls: CALL,
    stop: 'tool_calls',
  },
  { path: 'baidu/chat', dialect: 'baidu' },
  { path: 'tencent/chat', dialect: 'hunyuan' },
  { path: 'tencent/tool-call', dialect: 'hunyuan', text: '', calls: CALL, stop: 'tool_calls' },
  { path: 'minimax/chat-reasoning-split', dialect: 'chat', thinking: 'Count them.' },
  { path: 'minimax/chat-think-tags', dialect: 'chat', thinking: 'Count them.' },
  {
    path: 'perplexity/chat-cumulative-usage',
    dialect: 'chat',
    thinking: 'Count them.',
    cites: 'https://birds.example/',
  },
  { path: 'zhipu/chat-sensitive', dialect: 'chat', thinking: 'Count them.', stop: 'refusal' },
  { path: 'alibaba/chat-thinking', dialect: 'chat', thinking: 'Count them.' },
  { path: 'tgi/chat-object-arguments', dialect: 'chat', text: '', calls: CALL, stop: 'tool_calls' },
];

/** Parses a line, which is the data of an event or an event with its name. */
function frameOf(line: string): { event: string; data: string } {
  const json: unknown = line === '[DONE]' ? undefined : JSON.parse(line);
  const isNamed = typeof json === 'object' && json !== null && 'data' in json && 'event' in json;
  if (!isNamed || Object.keys(json).length !== 2) return { event: '', data: line };
  const { event, data } = json;
  return { event: String(event), data: typeof data === 'string' ? data : JSON.stringify(data) };
}

function eventsOf(path: string, dialect: UpstreamDialectName): readonly HubEvent[] {
  const decoder = UPSTREAM_DIALECTS[dialect].decoder(context());
  const events = frames(path).flatMap((line) => decoder.decode(frameOf(line)));
  const all = [...events, ...decoder.end()];
  const isError = all.some(({ kind }) => kind === 'error');
  expect(decoder.isComplete, 'reports how it ended').toBe(!isError);
  return all;
}

describe.each(CASES)('the stream $path', (given) => {
  const { path, dialect, text = TEXT, thinking = '', calls = [], stop = 'end', cites } = given;

  test('is read to its end', () => {
    const collectedAnswer = collected(new TaggedThinkingReader().turn(eventsOf(path, dialect)));
    const words = (kind: 'text' | 'thinking') =>
      collectedAnswer.blocks.flatMap((block) => (block.kind === kind ? [block.text] : [])).join('');
    expect(words('text')).toBe(text);
    expect(words('thinking')).toBe(thinking);
    expect(
      collectedAnswer.blocks.flatMap((block) =>
        block.kind === 'tool_call' ? [[block.name, block.args]] : [],
      ),
    ).toEqual(calls);
    expect(collectedAnswer.stop).toBe(stop);
    const written = collectedAnswer.usage && [
      totalInput(collectedAnswer.usage),
      totalOutput(collectedAnswer.usage),
    ];
    expect(written).toEqual('tokens' in given ? given.tokens : TOKENS);
    const urls = collectedAnswer.blocks.flatMap((block) =>
      block.kind === 'text' ? (block.citations ?? []).map(({ url }) => url) : [],
    );
    expect(urls).toEqual(cites === undefined ? [] : [cites]);
  });
});

test.each([
  ['dify/error', 'dify', 400, 'Your quota is used up.'],
  ['coze/failed', 'coze', 402, 'Your credits balance is negative.'],
  [
    'cohere/error',
    'cohere',
    500,
    "model 'command-x' not found, make sure the correct model ID was used",
  ],
  ['cohere/error-in-stream', 'cohere', 500, 'the generation was interrupted'],
  ['ollama/error', 'ollama', 500, 'an error was encountered while running the model: CUDA error'],
  ['library/error', 'library', 500, 'The library does not exist.'],
  ['siliconflow/error-balance', 'chat', 500, 'Sorry, your account balance is insufficient'],
  [
    'cloudflare/error-in-stream',
    'chat',
    500,
    'AiError: Capacity temporarily exceeded, please try again.',
  ],
  ['baidu/error', 'baidu', 429, 'Open api qps request limit reached'],
  ['tencent/error', 'hunyuan', 401, 'The provided credentials could not be validated.'],
] as const)('%s is an error with its status', (path, dialect, status, message) => {
  const error = eventsOf(path, dialect).find((event) => event.kind === 'error')?.error;
  expect(error).toMatchObject({ status, message });
});

test.each([
  ['iflytek/chat', TEXT],
  ['minimax/chat-reasoning-split', 'Count them.Two birds 🙂'],
])('%s passes to chat clients frame by frame, with its usage', (path, text) => {
  const read = reader();
  relayed(read, frames(path));
  expect(read.error).toBeUndefined();
  expect(read.isComplete || path === 'iflytek/chat').toBe(true);
  expect(read.delivered.text).toBe(text);
  expect(read.usage).toMatchObject({ prompt_tokens: 42, completion_tokens: 12 });
});

describe('thinking between tags', () => {
  const written = (...pieces: string[]) => {
    const events = pieces.map((text) => ({ kind: 'text', text }) as const);
    const all = [...events, { kind: 'finish', stop: 'end' } as const];
    return collected(new TaggedThinkingReader().turn(all)).blocks;
  };

  test.each(Array.from({ length: 20 }, (_, at) => at))(
    'is found if the text is split at %i',
    (at) => {
      const whole = '<think>a < b</think>\nyes';
      expect(written(whole.slice(0, at), whole.slice(at))).toEqual([
        { kind: 'thinking', text: 'a < b' },
        { kind: 'text', text: 'yes' },
      ]);
    },
  );

  test('is ignored inside an answer, and an unclosed tag makes the rest thinking', () => {
    expect(written('Use <think>x</think>')).toEqual([
      { kind: 'text', text: 'Use <think>x</think>' },
    ]);
    expect(written('<thi')).toEqual([{ kind: 'text', text: '<thi' }]);
    expect(written('<think>on and on')).toEqual([{ kind: 'thinking', text: 'on and on' }]);
  });

  test('is found in whole answers, which keep their finish reason', () => {
    const blocks = [{ kind: 'text', text: '<think>a</think>b' } as const];
    expect(withThinkingSeparated({ blocks, stop: 'max_tokens' })).toMatchObject({
      blocks: [
        { kind: 'thinking', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
      stop: 'max_tokens',
    });
  });
});
