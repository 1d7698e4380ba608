/** A text that was cut inside an emoji, and a byte order mark: vendors refuse the body for either. */
import { describe, expect, test } from 'vitest';
import { LARGE_BYTES } from '../../../src/relay/body/read-body.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { CHAT } from '../../upstream/wire.ts';

const site = await sharedSite();
await site.addChannel({ type: 14, models: 'claude-sonnet-4-5' });

/** JSON whose text is written as given, with a field that no rule reads. */
function bodyWith(model: string, text: string, blanks: number): string {
  const { messages: _, ...rest } = CHAT;
  const json = JSON.stringify({ ...rest, model }).slice(1);
  const messages = `[{"role":"user","content":"${text}"}]`;
  return `{"messages":${messages},"note":"${text}",${' '.repeat(blanks)}${json}`;
}

describe.each([
  ['a small body', 0],
  ['a large body', LARGE_BYTES],
])('%s', (_size, blanks) => {
  test.each([
    ['the first half', 'a\\ud83db', 'a\ufffdb'],
    ['the second half', 'a\\uDE00b', 'a\ufffdb'],
    ['both halves, exchanged', '\\ude00\\ud83d', '\ufffd\ufffd'],
    ['one half twice', '\\ud83d\\ud83d\\ude00', '\ufffd😀'],
    ['a pair', 'a\\uD83D\\ude00b', 'a😀b'],
    ['a backslash and letters', 'a\\\\ud83db', 'a\\ud83db'],
    ['a backslash before a half', '\\\\ud83d\\ude00', '\\ud83d\ufffd'],
  ])('with %s goes upstream as well-formed text', async (_case, sent, arrives) => {
    for (const model of ['gpt-4o-mini', 'claude-sonnet-4-5']) {
      const answer = await site.call({ rawBody: bodyWith(model, sent, blanks) });
      expect(answer.status, answer.text).toBe(200);
      const body = JSON.parse(site.upstream.requests.at(-1)?.body ?? '');
      const [{ content }] = body.messages;
      expect(content[0].text ?? content).toBe(arrives);
      if (model === 'gpt-4o-mini') expect(body.note).toBe(arrives);
    }
  });

  test('may begin with a byte order mark', async () => {
    const answer = await site.call({ rawBody: `\ufeff${bodyWith('gpt-4o-mini', 'hi', blanks)}` });
    expect(answer.status, answer.text).toBe(200);
    expect(site.upstream.requests.at(-1)?.body).toMatch(/^\{.*"note":"hi"/);
  });
});
