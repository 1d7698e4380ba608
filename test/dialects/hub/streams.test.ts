import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIALECTS, UPSTREAM_DIALECTS } from '../../../src/dialects/all.ts';
import type { DialectName, UpstreamDialectName } from '../../../src/dialects/hub/dialect.ts';
import { COMMENTARY } from '../../../src/dialects/responses/encrypted-reasoning.ts';
import { totalInput, totalOutput, type Usage } from '../../../src/domain/pricing/usage.ts';
import { collected, decoded, encoded, eventsIn, framesIn, wireOf } from './streams.ts';

const NAMES = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table

interface Source {
  readonly from: UpstreamDialectName;
  readonly path: string;
  readonly text: string;
  readonly thinking?: string | readonly string[];
  /** Name and arguments. */
  readonly calls?: readonly (readonly [string, string])[];
  readonly stop: string;
  /** Input, cache read, cache write, output, reasoning. */
  readonly usage: readonly [number, number, number, number, number];
}

const WEATHER = [
  ['get_weather', '{"city":"Oslo"}'],
  ['get_time', '{}'],
] as const;

const SOURCES: readonly Source[] = [
  {
    from: 'anthropic',
    path: 'anthropic/text',
    text: 'Grüß Gott 🙂',
    stop: 'end',
    usage: [25, 1200, 0, 15, 0],
  },
  {
    from: 'anthropic',
    path: 'anthropic/thinking-parallel-tools',
    text: 'Looking.',
    thinking: 'Two tools at once.',
    calls: [['get_weather', '{"city": "Oslo"}'], WEATHER[1]],
    stop: 'tool_calls',
    usage: [472, 0, 300, 89, 0],
  },
  {
    from: 'anthropic',
    path: 'anthropic/omitted-thinking',
    text: 'Found it',
    thinking: '',
    stop: 'max_tokens',
    usage: [12, 0, 0, 40, 30],
  },
  {
    from: 'gemini',
    path: 'gemini/text',
    text: 'Two birds 🙂',
    stop: 'end',
    usage: [5, 4, 0, 25, 20],
  },
  {
    from: 'gemini',
    path: 'gemini/thinking-parallel-tools',
    text: '',
    thinking: '**Plan** both.',
    calls: WEATHER,
    stop: 'tool_calls',
    usage: [87, 0, 0, 83, 53],
  },
  {
    from: 'gemini',
    path: 'gemini/grounded-image',
    text: 'Here:\n```python\nprint(1)\n```\nDone',
    stop: 'max_tokens',
    usage: [16, 0, 0, 1292, 0],
  },
  {
    from: 'gemini',
    path: 'gemini/blocked-prompt',
    text: '',
    stop: 'refusal',
    usage: [14, 0, 0, 0, 0],
  },
  {
    from: 'chat',
    path: 'openai/chat-text',
    text: 'Two birds 🙂',
    stop: 'end',
    usage: [93, 1024, 0, 46, 0],
  },
  {
    from: 'chat',
    path: 'openai/chat-parallel-tools',
    text: '',
    calls: WEATHER,
    stop: 'tool_calls',
    usage: [92, 0, 0, 38, 0],
  },
  {
    from: 'chat',
    path: 'deepseek/chat-tool-call',
    text: '',
    thinking: 'The user asks.',
    calls: [['weather', '{"location": "Bern"}']],
    stop: 'tool_calls',
    usage: [118, 256, 0, 61, 17],
  },
  {
    from: 'chat',
    path: 'xai/chat-tool-call',
    text: '',
    thinking: 'First',
    calls: [['weather', '{"location":"Rome"}']],
    stop: 'tool_calls',
    usage: [1, 290, 0, 222, 196],
  },
  {
    from: 'chat',
    path: 'mistral/chat-thinking',
    text: '2 + 2 = 4',
    thinking: 'The user wants 2+2.',
    stop: 'end',
    usage: [10, 0, 0, 46, 0],
  },
  {
    from: 'anthropic',
    path: 'bedrock/claude-tool',
    text: 'Ich schaue nach 🙂',
    calls: [['get_weather', '{"city": "Oslo"}']],
    stop: 'tool_calls',
    usage: [418, 1100, 0, 61, 0],
  },
  {
    from: 'converse',
    path: 'bedrock/converse-parallel-tools',
    text: 'Grüße 漢字 🙂',
    thinking: 'Two tools at once.',
    calls: WEATHER,
    stop: 'tool_calls',
    usage: [125, 200, 100, 60, 0],
  },
  {
    from: 'converse',
    path: 'bedrock/converse-filtered',
    text: 'I would',
    stop: 'refusal',
    usage: [14, 0, 0, 2, 0],
  },
  {
    from: 'gemini',
    path: 'vertex/gemini-thoughts-in-candidates',
    text: 'Vier 🙂',
    thinking: '**Plan** add.',
    stop: 'end',
    usage: [11, 0, 0, 42, 38],
  },
  {
    from: 'anthropic',
    path: 'vertex/claude-text',
    text: 'Vier 🙂',
    stop: 'end',
    usage: [12, 0, 240, 6, 0],
  },
  {
    from: 'responses',
    path: 'openai/responses-text',
    text: 'Two birds 🙂',
    stop: 'end',
    usage: [64, 1024, 32, 9, 0],
  },
  {
    from: 'responses',
    path: 'openai/responses-reasoning-tools',
    text: '',
    // Text before the final answer is passed on as thinking.
    thinking: ['**Plan**\n\nBoth tools.', 'Looking it up.'],
    calls: WEATHER,
    stop: 'tool_calls',
    usage: [92, 0, 0, 84, 41],
  },
  {
    from: 'responses',
    path: 'openai/responses-incomplete',
    text: 'Half',
    stop: 'max_tokens',
    usage: [12, 0, 0, 16, 4],
  },
];

describe.each(SOURCES)('the stream $path', (source) => {
  const wire = wireOf(source.from, source.path);

  test('has the content of its upstream', () => {
    const answer = collected(eventsIn(source.from, wire));
    const of = (kind: string) => answer.blocks.filter((block) => block.kind === kind);
    const textOf = (kind: string) => of(kind).map((block) => ('text' in block ? block.text : ''));
    expect(textOf('text').join('')).toBe(source.text);
    expect(textOf('thinking')).toEqual([source.thinking ?? []].flat());
    const calls = answer.blocks.flatMap((block) =>
      block.kind === 'tool_call' ? [[block.name, block.args]] : [],
    );
    expect(calls).toEqual(source.calls ?? []);
    expect(answer.stop).toBe(source.stop);
  });

  test('is billed by the usage of its upstream', () => {
    const { usage } = collected(eventsIn(source.from, wire));
    const { input = 0, cacheRead = 0, output = 0, reasoning = 0 } = usage ?? {};
    const written =
      (usage?.cacheWrite ?? 0) + (usage?.cacheWrite5m ?? 0) + (usage?.cacheWrite1h ?? 0);
    const result = [input, cacheRead, written, output];
    expect(result).toEqual(source.usage.slice(0, 4));
    expect(reasoning).toBe(source.usage[4]);
  });

  test.each(NAMES)('is the same for %s byte by byte', (to) => {
    const bytes = bytesOf(wire);
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    const whole = encoded(to, decoded(source.from, [bytes]));
    expect(encoded(to, decoded(source.from, single))).toBe(whole);
  });

  test.each(NAMES)('keeps its text through %s', (to) => {
    const events = eventsIn(source.from, wire);
    const there = collected(events);
    const back = collected(eventsIn(to, encoded(to, [events])));
    const texts = (answer: typeof back) =>
      answer.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('');
    const calls = (answer: typeof back) =>
      answer.blocks.flatMap((block) =>
        block.kind === 'tool_call' ? [[block.id, block.name, JSON.parse(block.args)]] : [],
      );
    const hasPicture = there.blocks.some(({ kind }) => kind === 'image');
    if (!hasPicture) expect(texts(back)).toBe(texts(there));
    expect(calls(back)).toEqual(calls(there));
    expect(back.stop).toBe(there.stop);
    expect(back.usage && total(back.usage)).toEqual(there.usage && total(there.usage));
  });
});

function bytesOf(wire: string | Buffer): Buffer {
  return typeof wire === 'string' ? Buffer.from(wire) : wire;
}

/** Sums counts, because Gemini has no counter for cache writes. */
function total(usage: Usage): number[] {
  return [totalInput(usage) - usage.cacheRead, usage.cacheRead, totalOutput(usage)];
}

test('signatures of all vendors survive a round trip through any dialect', () => {
  for (const [from, path, value] of [
    [
      'anthropic',
      'anthropic/thinking-parallel-tools',
      'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=',
    ],
    ['gemini', 'gemini/thinking-parallel-tools', 'CiQBsig'],
    ['responses', 'openai/responses-reasoning-tools', 'gAAAAABo_proof'],
  ] as const) {
    for (const to of NAMES) {
      const events = eventsIn(from, wireOf(from, path));
      const back = collected(eventsIn(to, encoded(to, [events])));
      const signed = back.blocks.flatMap((block) =>
        'signature' in block && block.signature ? [block.signature] : [],
      );
      // The stream of a response also has commentary, which is marked.
      const marks = from === 'responses' ? [COMMENTARY] : [];
      expect(signed).toEqual([{ origin: from === 'responses' ? 'openai' : from, value }, ...marks]);
    }
  }
});

test.each(NAMES)('%s writes an answer without content', (to) => {
  const wire = encoded(to, []);
  const [first, ...rest] = framesIn(wire);
  expect(first).toBeDefined();
  expect(collected(eventsIn(to, wire)).stop).toBe('end');
  if (to === 'anthropic')
    expect([first, ...rest].map((frame) => frame?.type)).toEqual([
      'message_start',
      'ping',
      'message_delta',
      'message_stop',
    ]);
});

test("an error ends a stream in the client's format, without a success marker", () => {
  const error = { status: 529, message: 'Overloaded', type: 'overloaded_error', requestId: 'R1' };
  const [event] = eventsIn('anthropic', wireOf('anthropic', 'anthropic/overloaded')).slice(-1);
  expect(event).toMatchObject({ kind: 'error', error: { status: 529, type: 'overloaded_error' } });
  const chat = DIALECTS.chat.encoder(CONTEXT_OF).fail(error);
  expect(chat).toBe(
    'data: {"error":{"message":"Overloaded (request id: R1)","type":"overloaded_error","param":null,"code":null}}\n\ndata: [DONE]\n\n',
  );
  expect(DIALECTS.anthropic.encoder(CONTEXT_OF).fail(error)).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded (request id: R1)"},"request_id":"R1"}\n\n',
  );
  expect(framesIn(DIALECTS.gemini.encoder(CONTEXT_OF).fail({ ...error, status: 503 }))).toEqual([
    { error: { code: 503, message: 'Overloaded (request id: R1)', status: 'UNAVAILABLE' } },
  ]);
});

const CONTEXT_OF = { id: 'R1', createdSec: 1, model: 'm', tools: [] };

test('no decoder fails on invalid upstream events', () => {
  const shapes = fc.json({ maxDepth: 4 });
  const names: UpstreamDialectName[] = [...NAMES, 'converse'];
  const events = ['', 'messageStart', 'contentBlockStart', 'contentBlockDelta', 'metadata'];
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...events), shapes), { maxLength: 6 }),
      fc.constantFrom(...names),
      (frames, name) => {
        const decoder = UPSTREAM_DIALECTS[name].decoder(CONTEXT_OF);
        const result = frames.flatMap(([event, data]) => decoder.decode({ event, data }));
        encoded('anthropic', [result, decoder.end()]);
      },
    ),
  );
});
