/**
 * Round trips keep everything that two dialects can both express. Requests are generated in the hub
 * format, from blocks that every dialect supports, then written and read again.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import type { HubAnswer } from '../../../src/dialects/hub/answer/answer.ts';
import { eventsOf } from '../../../src/dialects/hub/answer/answer.ts';
import type { STOPS } from '../../../src/dialects/hub/answer/stop.ts';
import type { Block } from '../../../src/dialects/hub/blocks.ts';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import type { HubMessage, HubRequest } from '../../../src/dialects/hub/request/request.ts';
import { emptyUsage } from '../../../src/domain/pricing/usage.ts';
import { PNG } from './requests.ts';
import { CONTEXT, collected, encoded, eventsIn } from './streams.ts';

const NAMES = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table
const word = fc.stringMatching(/^[A-Za-zäß€🙂]{1,8}$/u);
const args = fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(word, fc.integer(), fc.boolean()));
const text = word.map((spoken) => ({ kind: 'text', text: spoken }) as const);
const image = fc.constant({
  kind: 'image',
  source: { kind: 'base64', mediaType: 'image/png', data: PNG },
} as const);

const question = fc
  .array(fc.oneof(text, image), { minLength: 1, maxLength: 3 })
  .map((blocks): HubMessage[] => [{ role: 'user', blocks }]);

/** A turn with tool calls, and the turn with all of their results. */
const exchange = fc
  .tuple(
    fc.option(text),
    fc.array(fc.tuple(args, word), { minLength: 1, maxLength: 3 }),
    fc.nat(1e6),
  )
  .map(([spoken, calls, seed]): HubMessage[] => {
    const id = (index: number) => `call_${seed}_${index}`;
    const made = calls.map(
      ([given], index): Block => ({
        kind: 'tool_call',
        id: id(index),
        name: `f${index}`,
        args: JSON.stringify(given),
      }),
    );
    const results = calls.map(
      ([, result], index): Block => ({
        kind: 'tool_result',
        callId: id(index),
        content: [{ kind: 'text', text: result }],
      }),
    );
    return [
      { role: 'assistant', blocks: [...(spoken ? [spoken] : []), ...made] },
      { role: 'user', blocks: results },
    ];
  });

const answer = text.map((spoken): HubMessage[] => [{ role: 'assistant', blocks: [spoken] }]);

const conversation = fc
  .tuple(
    question,
    fc.array(
      fc.oneof(
        exchange,
        fc.tuple(answer, question).map(([a, q]) => [...a, ...q]),
      ),
    ),
  )
  .map(([first, rest]) => [...first, ...rest.flat()]);

const request: fc.Arbitrary<HubRequest> = fc.record({
  model: fc.constant('m'),
  stream: fc.constant(false),
  system: fc.array(text, { maxLength: 1 }),
  messages: conversation,
  tools: fc.array(
    fc.record({
      kind: fc.constant('function' as const),
      name: fc.constantFrom('f0', 'f1'),
      description: word,
      schema: fc.constant({
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
      }),
    }),
    { maxLength: 2, minLength: 1 },
  ),
  toolChoice: fc.constantFrom(
    { mode: 'auto' } as const,
    { mode: 'none' } as const,
    {
      mode: 'required',
    } as const,
  ),
  maxTokens: fc.integer({ min: 16, max: 8000 }),
  sampling: fc.record({ temperature: fc.constantFrom(0, 0.5, 1) }),
  stop: fc.uniqueArray(word, { maxLength: 3 }),
});

/** The parts that all three support, normalised: results without names, merged turns. */
function essence({ system, messages, tools, toolChoice, maxTokens, sampling, stop }: HubRequest) {
  const turns: { role: string; blocks: object[] }[] = [];
  for (const { role, blocks } of messages) {
    const plain = blocks.map(({ name: _, ...block }: Block & { name?: unknown }) => block);
    const named = blocks.map((block, index) =>
      block.kind === 'tool_call' ? { ...plain[index], name: block.name } : { ...plain[index] },
    );
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...named);
    else turns.push({ role, blocks: named });
  }
  const { temperature } = sampling;
  return JSON.parse(
    JSON.stringify({ system, turns, tools, toolChoice, maxTokens, temperature, stop }),
  );
}

/** Adjusts for Responses, which has no stop sequences and sets `strict` on every function. */
function sayable(name: DialectName, sent: ReturnType<typeof essence>) {
  if (name !== 'responses') return sent;
  const tools = sent.tools.map((tool: object) => ({ ...tool, strict: false }));
  return { ...sent, tools, stop: [] };
}

describe.each(NAMES)('through %s', (name) => {
  // A model that accepts everything sent here.
  const target = { model: name === 'gemini' ? 'gemini-2.5-pro-x' : 'glm-5', stream: false };

  test('a request survives a round trip', () => {
    const dialect = DIALECTS[name];
    fc.assert(
      fc.property(request, (sent) => {
        const written = JSON.parse(JSON.stringify(dialect.writeRequest(sent, target)));
        const read = essence(dialect.readRequest(written, { model: 'm' }));
        const turns = read.turns.map((turn: { blocks: { signature?: unknown }[] }) => ({
          ...turn,
          // Google's placeholder for a missing signature.
          blocks: turn.blocks.map(({ signature: _, ...block }) => block),
        }));
        expect({ ...read, turns }).toEqual(sayable(name, essence(sent)));
      }),
    );
  });

  test('an answer survives a round trip, whole and streamed', () => {
    const dialect = DIALECTS[name];
    fc.assert(
      fc.property(answers, (sent) => {
        const whole = JSON.parse(JSON.stringify(dialect.writeAnswer(sent, CONTEXT)));
        const streamed = eventsIn(name, encoded(name, [eventsOf(sent)]));
        expect(decoded(dialect.readAnswer(whole, CONTEXT))).toEqual(decoded(sent));
        expect(decoded(collected(streamed))).toEqual(decoded(sent));
      }),
    );
  });
});

const answers: fc.Arbitrary<HubAnswer> = fc
  .record({
    thinking: fc.option(word),
    text: fc.option(word),
    calls: fc.array(args, { maxLength: 3 }),
    stop: fc.constantFrom('end', 'max_tokens', 'refusal' as const),
    usage: fc.record({
      input: fc.nat(999),
      cacheRead: fc.nat(999),
      output: fc.integer({ min: 1, max: 999 }),
    }),
  })
  .map(({ thinking, text: spoken, calls, stop, usage }) => ({
    blocks: [
      ...(thinking === null ? [] : [{ kind: 'thinking' as const, text: thinking }]),
      ...(spoken === null ? [] : [{ kind: 'text' as const, text: spoken }]),
      ...calls.map((given, index) => ({
        kind: 'tool_call' as const,
        id: `call_${index}`,
        name: `f${index}`,
        args: JSON.stringify(given),
      })),
    ],
    stop:
      calls.length > 0 && stop === 'end' ? ('tool_calls' as const) : (stop as keyof typeof STOPS),
    usage: { ...emptyUsage(), ...usage },
  }));

function decoded({ blocks, stop, usage }: HubAnswer) {
  return JSON.parse(JSON.stringify({ blocks, stop, usage }));
}
