/**
 * Many callers at once, of several tokens and with several answers, some of which leave: no window is
 * ever exceeded, and no call is refused while its windows have room for it.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { rawUpstream, SSE, streamText } from '../../relay/raw-upstream.ts';
import { aBudget, windowsOf } from '../../support/budgets.ts';
import { databases } from '../../support/databases.ts';
import { sharedSite } from '../../support/shared-site.ts';

const CALLERS = 64;
const TOKENS = 8;
const USER_LIMIT = 60_000;
const TOKEN_LIMIT = 12_000;
/** More than a call with one answer of the least useful length needs. */
const LEAST_NEED = 500;
const messages = [{ role: 'user', content: 'count to ten' }];

describe.each(databases)('budgets under many callers on $kind', async ({ kind }) => {
  const upstream = await rawUpstream();
  upstream.answer = (response, { body }) => {
    // The upstream uses all that it may.
    const { max_tokens: limit, n = 1, stream } = JSON.parse(body);
    const usage = { prompt_tokens: 3, completion_tokens: limit * n, total_tokens: 3 + limit * n };
    const message = { role: 'assistant', content: 'one' };
    if (stream === true)
      return response
        .writeHead(200, SSE)
        .end(
          streamText(
            { choices: [{ index: 0, delta: message, finish_reason: 'stop' }] },
            { choices: [], usage },
            '[DONE]',
          ),
        );
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    );
  };
  const site = await sharedSite({
    database: kind,
    options: { ModelRatio: { even: 1 }, CompletionRatio: { even: 1 }, RetryTimes: 0 },
  });
  await site.addChannel({ models: 'even', base_url: upstream.url });
  const tokens = await Promise.all(Array.from({ length: TOKENS }, () => site.addToken()));
  afterAll(() => upstream.close());

  test('are used up to the last call that fits, and never exceeded', async () => {
    const user = { subject: 'user', subject_id: String(site.user.id) };
    const ofUser = await aBudget(site.ctx, { ...user, limit_amount: USER_LIMIT });
    const counted = await aBudget(site.ctx, { measure: 'tokens', limit_amount: 10_000_000 });
    const ofTokens = await Promise.all(
      tokens.map(({ id }) =>
        aBudget(site.ctx, {
          subject: 'token',
          subject_id: String(id),
          period: 'week',
          limit_amount: TOKEN_LIMIT,
        }),
      ),
    );
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, (_caller, at) => callUntilRefused(at)),
    );
    await site.settled();
    expect(new Set(outcomes)).toEqual(new Set([403]));

    const spentOf = async (id: number) => {
      const windows = await windowsOf(site.ctx, id);
      expect(windows).toHaveLength(1);
      expect(windows[0]?.held).toBe(0);
      return windows[0]?.spent ?? 0;
    };
    const left = USER_LIMIT - (await spentOf(ofUser));
    expect(left).toBeGreaterThanOrEqual(0);
    let sum = 0;
    for (const id of ofTokens) {
      const spent = await spentOf(id);
      expect(spent).toBeLessThanOrEqual(TOKEN_LIMIT);
      // Its callers were refused because it was used up, or the user's budget was.
      expect(Math.min(left, TOKEN_LIMIT - spent)).toBeLessThan(LEAST_NEED);
      sum += spent;
    }
    expect(sum).toBe(USER_LIMIT - left);
    expect(await spentOf(counted)).toBe(sum);
    expect(await site.verify()).toMatchObject({ ok: true, differences: [] });
  });

  /** Repeats what is answered or refused for the moment; returns the status of the last refusal. */
  async function callUntilRefused(at: number): Promise<number> {
    const key = tokens[at % TOKENS]?.key ?? '';
    for (let number = 0; ; number += 1) {
      const isLast = at < TOKENS;
      const body = {
        model: 'even',
        messages,
        max_tokens: 300 + ((at * 37 + number * 101) % 900),
        n: isLast ? 1 : 1 + ((at + number) % 3),
        stream: (at + number) % 2 === 0,
      };
      if (!isLast && number % 5 === 4) {
        await (await site.start({ key, body })).leave();
        continue;
      }
      const { status } = await site.call({ key, body });
      if (status !== 200 && status !== 429) return status;
    }
  }
});
