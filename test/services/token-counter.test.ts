import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/domain/token-count/token-estimate.ts';
import { createTokenCounter } from '../../src/services/token-counter/counter.ts';
import { withoutLongRuns } from '../../src/services/token-counter/long-runs.ts';
import { THREAD_LIMITS } from '../../src/services/token-counter/thread-limits.ts';
import { pngOf } from '../domain/token-count/png.ts';
import { eventually } from '../support/site.ts';

const counter = createTokenCounter();
// Until its thread has loaded the vocabulary, a text may be estimated.
beforeAll(() =>
  eventually('the vocabulary is loaded', async () => {
    return (await counter.countText('gpt-4o', 'antidisestablishmentarianism')) === 6;
  }),
);
afterAll(() => counter.close());

describe('counting text tokens', () => {
  // Published counts of o200k_base.
  it.each([
    ['antidisestablishmentarianism', 6],
    ['2 + 2 = 4', 7],
    ['お誕生日おめでとう', 8],
    ['', 0],
  ])('%s is %d tokens', async (text, tokens) => {
    expect(await counter.countText('gpt-4o', text)).toBe(tokens);
  });

  it('counts special tokens as plain text', async () => {
    expect(await counter.countText('gpt-4o', '<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts more for Claude, by the share of Chinese in older models', async () => {
    const english = 'The quick brown fox jumps over the lazy dog. '.repeat(20);
    const chinese = '敏捷的棕色狐狸跳过了懒狗。'.repeat(20);
    const base = {
      english: await counter.countText('gpt-4o', english),
      chinese: await counter.countText('gpt-4o', chinese),
    };
    expect(await counter.countText('claude-3-5-sonnet', english)).toBe(
      Math.ceil(base.english * 1.1),
    );
    const ratio = (await counter.countText('claude-3-5-sonnet', chinese)) / base.chinese;
    expect(ratio).toBeGreaterThan(1.3);
    expect(await counter.countText('claude-opus-5-5', english)).toBe(Math.ceil(base.english * 1.4));
  });

  it('returns each of many concurrent calls its own count', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => 'hello '.repeat(index + 1).trim());
    const counts = await Promise.all(texts.map((text) => counter.countText('gpt-4o', text)));
    expect(counts).toEqual(texts.map((_, index) => index + 1));
  });
});

describe('the most tokens of a text', () => {
  const LATIN = 'Read the file “notes.txt” → then write. '.repeat(50);
  const CHINESE = '请先读文件再写代码。'.repeat(50);
  const most = (model: string, text: string) => counter.mostTokens(model, text);

  it('is its count where the vocabulary is known', async () => {
    expect(await most('gpt-4o', CHINESE)).toBe(await counter.countText('gpt-4o', CHINESE));
  });

  it.each([
    ['Latin text', LATIN, 1.1 * 1.25],
    ['Chinese text', CHINESE, 1.35 * 1.25],
  ])('has the factor of %s elsewhere', async (_, text, factor) => {
    const tokens = await counter.countText('gpt-4o', text);
    expect(await most('claude-haiku-4-5', text)).toBe(Math.ceil(tokens * factor));
  });

  it('rises by little with a few other characters', async () => {
    const tokens = await counter.countText('gpt-4o', `${LATIN}🙂`);
    const bound = (await most('claude-haiku-4-5', `${LATIN}🙂`)) ?? 0;
    expect(bound).toBeGreaterThan(tokens * 1.1 * 1.25);
    expect(bound).toBeLessThan(tokens * 1.12 * 1.25);
  });

  it('is unknown for a text that is too long', async () => {
    expect(await most('gpt-4o', 'a '.repeat(200_001))).toBeUndefined();
  });
});

describe('the most tokens of a prompt whose parts the upstream has counted', () => {
  const MODEL = 'claude-haiku-4-5';
  const message = (number: number) => ({
    role: number % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: 'text', text: `Part ${number} of the conversation. `.repeat(20) }],
  });
  const promptOf = (messages: number, more: object = {}) =>
    JSON.stringify({ messages: Array.from({ length: messages }, (_, at) => message(at)), ...more });
  let conversations = 0;
  /** The bounds of prompts of one conversation, of which the upstream counts 60 percent. */
  const boundsOf = async (prompts: readonly string[], share = 0.6) => {
    const conversation = `conversation ${++conversations}`;
    const bounds: number[] = [];
    for (const [number, prompt] of prompts.entries()) {
      const requestId = `${conversation} ${number}`;
      bounds.push((await counter.mostTokens(MODEL, prompt, { requestId, conversation })) ?? 0);
      const counted = (await counter.mostTokens(MODEL, prompt)) ?? 0;
      counter.promptReported(requestId, Math.ceil(counted * share));
    }
    return bounds;
  };
  const ownCounts = (prompts: readonly string[]) =>
    Promise.all(prompts.map((prompt) => counter.mostTokens(MODEL, prompt)));

  it('is what the upstream counted, and the own count of what is new', async () => {
    const prompts = [promptOf(10), promptOf(12)];
    const [first = 0, second = 0] = await ownCounts(prompts);
    const [bound, next = 0] = await boundsOf(prompts);
    expect(bound).toBe(first);
    expect(next).toBeGreaterThan(0.6 * first + (second - first) * 0.9);
    expect(next).toBeLessThan(0.6 * first + (second - first) * 1.1);
  });

  it('does not depend on where caches begin', async () => {
    const cached = promptOf(10)
      .replace('" }]', '"}]')
      .replace(/"\}\]\}\]/, (end) => end.replace('"}', '","cache_control":{"type":"ephemeral"}}'));
    expect(cached).toContain('cache_control');
    const [, next] = await boundsOf([cached, promptOf(10)]);
    const [first = 0] = await ownCounts([cached]);
    expect(next).toBe(Math.ceil(0.6 * first));
  });

  it.each([
    [
      'a part that occurs more often',
      promptOf(2),
      promptOf(2).replace('[', `[${JSON.stringify(message(0))},`),
    ],
    [
      'another conversation',
      promptOf(1),
      JSON.stringify({ messages: [message(100), message(101)] }),
    ],
    [
      'thinking',
      promptOf(0, { input: [{ thinking: 'I see. '.repeat(99) }] }),
      promptOf(0, { input: [{ thinking: 'I see. '.repeat(99) }] }),
    ],
  ])('counts %s', async (_, before, after) => {
    const [own = 0] = await ownCounts([after]);
    const [, bound] = await boundsOf([before, after]);
    expect(bound).toBeGreaterThan(own * 0.7);
  });

  it.each([
    [
      'clears tool results',
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
      0.6,
    ],
    ['truncates', { truncation: 'auto' }, 0.6],
    ['has compacted', { input: [{ type: 'compaction', encrypted_content: '' }] }, 0.6],
    ['allows no tools', { tool_choice: { type: 'none' } }, 0.6],
    ['was read in part only', {}, 0.3],
  ])('is the own count after a prompt that %s', async (_, more, share) => {
    const [own] = await ownCounts([promptOf(10)]);
    const [, bound] = await boundsOf([promptOf(10, more), promptOf(10)], share);
    expect(bound).toBe(own);
  });

  it('uses prompts from which only thinking is cleared', async () => {
    const clears = {
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    };
    const prompts = [promptOf(10, clears), promptOf(10, clears)];
    const [own = 0] = await ownCounts(prompts);
    const [, bound] = await boundsOf(prompts);
    expect(bound).toBe(Math.ceil(own * 0.6));
  });

  it('is the own count in another conversation, and while no count is reported', async () => {
    const [own] = await ownCounts([promptOf(10)]);
    await boundsOf([promptOf(10)]);
    expect(await boundsOf([promptOf(10)])).toEqual([own]);
    const request = { requestId: 'unreported', conversation: 'unreported' };
    await counter.mostTokens(MODEL, promptOf(10), request);
    expect(await counter.mostTokens(MODEL, promptOf(10), request)).toBe(own);
  });
});

describe('counting tokens of hostile text', () => {
  it('counts a megabyte of one letter quickly', async () => {
    const before = process.cpuUsage();
    expect(await counter.countText('gpt-4o', 'a'.repeat(1_000_000))).toBe(250_000);
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('counts long runs without blocking the event loop', async () => {
    const runs = ['a'.repeat(190_000), 'ACGT'.repeat(40_000), ' '.repeat(190_000)];
    await counter.countText('gpt-4o', 'warm up');
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const counts = await Promise.all(runs.map((run) => counter.countText('gpt-4o', run)));
    delay.disable();
    // Encoded whole, each of these would take many seconds.
    expect(delay.max / 1e6).toBeLessThan(1000);
    for (const count of counts) expect(count).toBeGreaterThan(1000);
  });

  it('splits runs of letters and of spaces, and nothing else', () => {
    const text = `${'a'.repeat(4500)} ${'b '.repeat(3000)}${' '.repeat(2500)}`;
    const pieces = withoutLongRuns(text);
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(piece).not.toMatch(/\S{2001}|\s{2001}/);
    expect(pieces).toHaveLength(4);
  });
});

describe('counting without the worker thread', () => {
  const text = 'The quick brown fox jumps over the lazy dog.';

  it.each([
    ['is full of jobs', { ...THREAD_LIMITS, maxJobs: 0 }],
    ['is full of text', { ...THREAD_LIMITS, maxChars: 10 }],
    ['is too slow', { ...THREAD_LIMITS, timeoutMs: 1 }],
    ['has died too often', { ...THREAD_LIMITS, maxCrashes: 0 }],
  ])('estimates because it %s', async (_name, limits) => {
    const limited = createTokenCounter(limits);
    expect(await limited.countText('gpt-4o', text)).toBe(estimateTokens(text));
    await limited.close();
  });

  it('returns estimates to waiting and later calls when it is closed', async () => {
    const closing = createTokenCounter();
    const waiting = closing.countText('gpt-4o', text);
    await closing.close();
    expect(await waiting).toBe(estimateTokens(text));
    expect(await closing.countText('gpt-4o', text)).toBe(estimateTokens(text));
  });

  it('starts a new thread after one that was too slow', async () => {
    let timeoutMs = 1;
    const recovering = createTokenCounter({
      ...THREAD_LIMITS,
      get timeoutMs() {
        return timeoutMs;
      },
    });
    expect(await recovering.countText('gpt-4o', '2 + 2 = 4')).toBe(estimateTokens('2 + 2 = 4'));
    timeoutMs = 15_000;
    expect(await recovering.countText('gpt-4o', '2 + 2 = 4')).toBe(7);
    await recovering.close();
  });
});

describe('counting prompt tokens', () => {
  const hello = { role: 'user', content: 'hello' };

  it('adds the overhead of messages and names the model family', async () => {
    expect(await counter.countPrompt('gpt-4o', 'chat', { messages: [hello] })).toBe(1 + 4 + 3);
    expect(await counter.countPrompt('gpt-4o', 'chat', { messages: [hello, hello] })).toBe(
      2 + 8 + 3,
    );
    expect(await counter.countPrompt('claude-3-5-sonnet', 'chat', { messages: [hello] })).toBe(
      2 + 3,
    );
  });

  it('counts every tool, not only the last', async () => {
    const tool = {
      type: 'function',
      function: { name: 'weather', parameters: { type: 'object' } },
    };
    const count = (tools: unknown[]) =>
      counter.countPrompt('gpt-4o', 'chat', { messages: [hello], tools });
    const none = await count([]);
    const one = await count([tool]);
    const three = await count([tool, tool, tool]);
    expect(one - none).toBeGreaterThan(15);
    expect(three - none).toBe(3 * (one - none));
  });

  it('sums embeddings inputs and counts token arrays', async () => {
    expect(
      await counter.countPrompt('text-embedding-3-small', 'embeddings', {
        input: ['hello', 'hello'],
      }),
    ).toBe(2);
    expect(
      await counter.countPrompt('text-embedding-3-small', 'embeddings', { input: [1, 2, 3, 4] }),
    ).toBe(4);
  });

  it('counts a rerank query per document, and tts by the character', async () => {
    const body = { query: 'hello', documents: ['hello', 'hello', 'hello'] };
    expect(await counter.countPrompt('rerank-v5.0-pro', 'rerank', body)).toBe(3 + 3);
    expect(
      await counter.countPrompt('tts-1', 'speech', { model: 'tts-1', input: 'hello you' }),
    ).toBe(9);
  });

  it('counts images by their size, never by their bytes', async () => {
    const image = { type: 'image_url', image_url: { url: pngOf(1024, 1024) } };
    const body = { messages: [{ role: 'user', content: [image] }] };
    expect(await counter.countPrompt('gpt-4o', 'chat', body)).toBe(765 + 7);
    expect(await counter.countPrompt('claude-opus-5-5', 'chat', body)).toBe(1369 + 3);
  });

  it('returns a count for an invalid request body', async () => {
    for (const body of [undefined, null, 'text', [], { messages: 7 }]) {
      expect(await counter.countPrompt('gpt-4o', 'chat', body)).toBe(0);
    }
  });
});
