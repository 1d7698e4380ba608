/**
 * Recorded provider events through the whole server: under adverse framing, split at every byte and
 * inside characters, they give the same text and the same charge.
 */

import { expect, test } from 'vitest';
import { inputTokensOf } from '../../../src/domain/logs/claude-facts.ts';
import { frames } from '../../dialects/frames.ts';
import { collected, eventsIn } from '../../dialects/hub/streams.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { UPSTREAM_KEY } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';

interface Replay {
  readonly path: string;
  readonly type: string;
  readonly channel?: { readonly other?: string; readonly key?: string };
  readonly thinking?: string;
  /** The provider reports no usage. */
  readonly countsNothing?: true;
  /** Units of the search that the provider makes for each call. */
  readonly fee?: number;
}

const TEXT = 'Two birds 🙂';
const THOUGHTS = { thinking: 'Count them.' } as const;

const REPLAYS: readonly Replay[] = [
  { path: 'alibaba/chat-thinking', type: 'alibaba', ...THOUGHTS },
  { path: 'baidu/chat', type: 'baidu', channel: { key: `ak-1|${UPSTREAM_KEY}` } },
  { path: 'cerebras/chat-reasoning-time-info', type: 'cerebras', ...THOUGHTS },
  { path: 'cloudflare/chat', type: 'cloudflare', channel: { other: 'acct' } },
  { path: 'cohere/chat', type: 'cohere', ...THOUGHTS },
  { path: 'coze/chat', type: 'coze', channel: { other: 'fake-bot' }, ...THOUGHTS },
  { path: 'deepinfra/chat-estimated-cost', type: 'deepinfra' },
  { path: 'dify/chat', type: 'dify' },
  { path: 'iflytek/chat', type: 'iflytek' },
  {
    path: 'library/chat',
    type: 'aiproxy-library',
    channel: { other: 'fake-library' },
    countsNothing: true,
  },
  { path: 'llamacpp/chat-timings', type: 'llamacpp', ...THOUGHTS },
  { path: 'minimax/chat-reasoning-split', type: 'minimax', ...THOUGHTS },
  { path: 'ollama/chat', type: 'ollama', channel: { other: 'native' }, ...THOUGHTS },
  { path: 'perplexity/chat-cumulative-usage', type: 'perplexity', fee: 3_000, ...THOUGHTS },
  { path: 'siliconflow/chat-usage-on-every-chunk', type: 'siliconflow', ...THOUGHTS },
  { path: 'tencent/chat', type: 'tencent', channel: { key: `100|AKIDtest|${UPSTREAM_KEY}` } },
  { path: 'volcengine/chat-thinking', type: 'volcengine', ...THOUGHTS },
];

const HOSTILE: readonly Plan[] = [
  { split: 1 },
  { split: 'characters', framing: { newline: 'crlf', comments: true } },
  { split: 7, framing: { newline: 'cr', space: false, multiline: true, bom: true } },
];

const site = await sharedSite();
const all = Object.fromEntries(REPLAYS.map(({ path }) => [path, 1]));
await site.option('ModelRatio', all);
await site.option('CompletionRatio', all);
for (const { path, type, channel } of REPLAYS)
  await site.addChannel({ type, models: path, ...channel });

test.each(REPLAYS)('$path', async ({ path, thinking = '', countsNothing, fee = 0 }) => {
  const messages = [{ role: 'user', content: 'How many birds are there?' }];
  for (const plan of HOSTILE) {
    site.upstream.script({ ...plan, replay: frames(path) });
    const body = { model: path, messages, stream: true, max_tokens: 50 };
    const answer = await site.call({ path: '/v1/messages', body });
    expect(answer.status, answer.text).toBe(200);
    const received = collected(eventsIn('anthropic', answer.text));
    const words = (kind: 'text' | 'thinking') =>
      received.blocks.flatMap((block) => (block.kind === kind ? [block.text] : [])).join('');
    expect(words('text').startsWith(TEXT), words('text')).toBe(true);
    expect(words('thinking')).toBe(thinking);
    expect(received.stop).toBe('end');
    await site.settled();
    const entry = await site.logOf(answer.requestId);
    expect(entry).toMatchObject(
      countsNothing
        ? { usage_source: 'estimated' }
        : { usage_source: 'upstream', completion_tokens: 12, quota: 54 + fee },
    );
    const input = entry && inputTokensOf(entry, JSON.parse(entry.other));
    if (!countsNothing) expect(input).toBe(42);
  }
});
