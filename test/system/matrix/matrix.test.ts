/**
 * Every client dialect over every family of upstreams, through the whole server. The fake upstream
 * refuses a body that was not translated; a cell marked as not working must not work.
 */
import { describe, expect, test } from 'vitest';
import { offersEndpoint } from '../../../src/providers/requests/openai-request.ts';
import type { TransportName } from '../../../src/providers/rows/provider-row.ts';
import { PROVIDERS } from '../../../src/providers/rows/provider-rows.ts';
import { setPrice } from '../../relay/tenant.ts';
import { aCloudUpstream } from '../../support/cloud-credentials.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { type Body, CLIENTS, type ClientRow, callsOf, hubAnswerOf, wordsOf } from './clients.ts';
import { FAMILIES, type FamilyRow } from './families.ts';
import { exceptionOf, FEATURES, type Feature } from './table.ts';

const { upstream, tokenUrl, account } = await aCloudUpstream();
const site = await sharedSite({
  upstream,
  config: { clientGraceMs: 0.05, googleTokenUrl: tokenUrl },
});
for (const row of FAMILIES) {
  const models = `via-${row.name}`;
  const model_mapping = JSON.stringify({ [models]: row.model });
  await setPrice(site, models, { ratio: '1', completion: '1' });
  const key = row.key === undefined ? {} : { key: row.key(account) };
  await site.addChannel({ type: row.type, models, model_mapping, ...row.channel, ...key });
}

interface Cell {
  readonly client: ClientRow;
  readonly family: FamilyRow;
  readonly model: string;
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const CHECKS: Readonly<Record<Feature, (cell: Cell) => Promise<void>>> = {
  plain: (cell) => answers(cell, false),
  stream: (cell) => answers(cell, true),
  async tools({ client, model }) {
    const chatRequest = {
      text: 'Use get_weather and get_time',
      tools: ['get_weather', 'get_time'],
      stream: true,
    };
    const content = hubAnswerOf(
      client.name,
      await site.call(client.request(model, chatRequest)),
      true,
    );
    expect(callsOf(content)).toEqual([
      ['get_weather', { city: 'city' }],
      ['get_time', { city: 'city' }],
    ]);
    expect(content.stop).toBe('tool_calls');
  },
  async image({ client, family, model }) {
    const answer = await site.call(client.request(model, { text: 'What is it?', image: PNG }));
    const size = Buffer.from(PNG, 'base64').length;
    const seen = family.picture ?? `image/png of ${size} bytes`;
    expect(wordsOf(hubAnswerOf(client.name, answer), 'text')).toContain(`What is it? [${seen}]`);
  },
  async thinking({ client, model }) {
    const chatRequest = { text: 'Think about it', thinks: true, stream: true };
    const content = hubAnswerOf(
      client.name,
      await site.call(client.request(model, chatRequest)),
      true,
    );
    expect(wordsOf(content, 'thinking')).toBe('The user wants an answer to: Think about it');
    expect(wordsOf(content, 'text')).toBe('You said: Think about it');
  },
  async error({ client, model }) {
    site.upstream.script({ refuse: { status: 422, message: 'too odd' } });
    const answer = await site.call(client.request(model, { text: 'Hi', stream: true }));
    const body = JSON.parse(answer.text) as Body; // checked field by field
    expect(answer.status).toBe(422);
    expect(client.errorType(body)).toBe(client.invalidRequest);
    expect(body.error.message).toBe(`too odd (request id: ${answer.requestId})`);
    await site.settled();
    expect(await site.logOf(answer.requestId)).toBe(undefined);
  },
  async abort({ client, family, model }) {
    site.upstream.script({ events: 50, hold: 12 });
    const open = await site.start(client.request(model, { text: 'Hi', stream: true }));
    let text = '';
    for await (const bytes of open.body.iterator({ destroyOnReturn: false })) {
      text += String(bytes);
      if (text.includes('w2 ')) break;
    }
    await open.leave();
    await site.upstream.until(({ aborted }) => aborted === 1);
    await site.settled();
    const log = await site.logOf(open.requestId);
    expect(log?.completion_tokens).toBeGreaterThan(2);
    expect(log?.usage_source).toBe(family.countsInFrames ? 'upstream' : 'estimated');
    if (!family.countsInFrames) expect(log?.completion_tokens).toBeLessThan(50);
  },
};

async function answers({ client, family, model }: Cell, stream: boolean): Promise<void> {
  const answer = await site.call(client.request(model, { text: 'Grüße 🙂 an alle', stream }));
  const content = hubAnswerOf(client.name, answer, stream);
  const text = wordsOf(content, 'text');
  if (family.takesOneText) expect(text).toContain('Grüße 🙂 an alle');
  else expect(text).toBe('You said: Grüße 🙂 an alle');
  expect(content.stop).toBe('end');
  expect(content.model).toBe(model);
  await site.settled();
  const log = await site.logOf(answer.requestId);
  if (family.reportsNoUsage) {
    expect(log?.usage_source).toBe('estimated');
    expect(log?.completion_tokens).toBeGreaterThan(0);
    return;
  }
  expect(log).toMatchObject({
    usage_source: 'upstream',
    completion_tokens: content.usage?.output,
    prompt_tokens: content.usage?.input,
  });
}

const NAMES = Object.keys(FEATURES) as Feature[]; // the keys of a constant table

describe.each(CLIENTS)('$label', (client) => {
  describe.each(FAMILIES)('over $label', (family) => {
    const cell = { client, family, model: `via-${family.name}` };
    test.each(NAMES)('%s', async (feature) => {
      site.upstream.setDefault(family.plan ?? {});
      const works = CHECKS[feature](cell);
      if (exceptionOf(client.name, family.name, feature) === undefined) return works;
      await expect(works, 'the table says that it does not work').rejects.toThrow();
    });
  });
});

/** Transports that change only the address, not the body. */
const ADDRESSED: ReadonlySet<TransportName> = new Set(['plain', 'full', 'origin']);

test('every protocol of a provider has a family here', () => {
  const spoken = PROVIDERS.filter((row) => offersEndpoint(row, 'chat'));
  const wires = (rows: readonly (typeof PROVIDERS)[number][]) =>
    new Set(rows.map(({ family, transport }) => (ADDRESSED.has(transport) ? family : transport)));
  const shown = PROVIDERS.filter(({ type }) => FAMILIES.some((row) => row.type === type));
  expect(wires(shown)).toEqual(wires(spoken));
});
