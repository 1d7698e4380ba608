/** Speech and transcripts: streamed through, charged by characters, tokens or duration. */
import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite, eventually } from '../../support/site.ts';
import {
  BYTES_PER_CHARACTER,
  soundOf,
  speechUsage,
  TRANSCRIPT,
  transcriptUsage,
} from '../../upstream/media/openai-audio.ts';
import { bytesOut, pour, rawUpstream, standsStill } from '../raw-upstream.ts';
import { addRow, addTenant, NOTHING, spareChannel, type Tenant } from '../tenant.ts';
import { eventsOf, formBody, send, sendForm, type Upload, wav } from './media-calls.ts';

const options = { RetryTimes: 1 };
const site = await sharedSite({ upstreams: 2, config: { clientGraceMs: 1 }, options });

const SPEECH = '/v1/audio/speech';
const TRANSCRIPTIONS = '/v1/audio/transcriptions';
const INPUT = 'Say 世界.';
const CHARACTERS = [...INPUT].length;
/** One unit per token, with a different price for audio tokens. */
const PRICE = { ratio: '1', completion: '4' } as const;

/** A tenant whose channel maps the model to this name. */
async function tenantOf(upstreamModel: string): Promise<Tenant> {
  const tenant = await addTenant(site, { price: PRICE, upstreamModel });
  await addRow(site, 'AudioRatio', tenant.model, 2);
  await addRow(site, 'AudioCompletionRatio', tenant.model, 3);
  return tenant;
}

describe('speech', () => {
  test('is passed through byte for byte, and tts models are charged by the character', async () => {
    const tenant = await addTenant(site, { price: 'none' });
    await site.as({ kind: 'operator' }).channel.edit({ id: tenant.channel.id, models: ['tts-1'] });
    const answer = await send(tenant, SPEECH, { model: 'tts-1', input: INPUT, voice: 'alloy' });
    expect(answer.headers['content-type']).toBe('audio/mpeg');
    expect(answer.bytes.equals(soundOf(INPUT))).toBe(true);
    // 15 USD per million characters: 7.5 units each, rounded half up.
    expect(await tenant.bill()).toEqual(
      tenant.charged(answer.requestId, Math.round(CHARACTERS * 7.5)),
    );
    expect(await site.logOf(answer.requestId)).toMatchObject({
      prompt_tokens: CHARACTERS,
      completion_tokens: 0,
      usage_source: 'estimated',
    });
  });

  test('of models that count audio tokens is charged by its duration', async () => {
    const tenant = await tenantOf('gpt-4o-mini-tts');
    const answer = await send(tenant, SPEECH, { input: INPUT, voice: 'alloy' });
    const row = await site.logOf(answer.requestId);
    const seconds = (CHARACTERS * BYTES_PER_CHARACTER) / 16_000;
    const audio = Math.ceil(seconds * 20.8);
    expect(row).toMatchObject({ completion_tokens: audio, usage_source: 'estimated' });
    expect(row?.quota).toBe((row?.prompt_tokens ?? 0) + audio * 2 * 3);
  });

  test('as events ends with its usage, and is charged by it', async () => {
    const tenant = await tenantOf('gpt-4o-mini-tts');
    const params = { input: INPUT, voice: 'alloy', stream_format: 'sse' };
    const answer = await send(tenant, SPEECH, params);
    const events = eventsOf(answer.text);
    const sound = events.map(({ audio }) => Buffer.from(String(audio ?? ''), 'base64'));
    expect(Buffer.concat(sound).equals(soundOf(INPUT))).toBe(true);
    const usage = speechUsage(INPUT);
    expect(events.at(-1)).toEqual({ type: 'speech.audio.done', usage });
    await tenant.expectCharged(answer.requestId, {
      units: usage.input_tokens + usage.output_tokens * 2 * 3,
      source: 'upstream',
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
    });
  });

  test('that breaks closes the connection, and is charged for what was delivered', async () => {
    const tenant = await tenantOf('gpt-4o-mini-tts');
    tenant.script({ fault: { ending: 'drop', after: 'half' } });
    await expect(send(tenant, SPEECH, { input: INPUT, voice: 'alloy' })).rejects.toThrow();
    const [charge] = await eventually('the charge', async () => {
      const charges = await site.chargesOf(tenant.user.id);
      return charges.length > 0 && charges;
    });
    const row = await site.logOf(charge?.key.slice('call:'.length) ?? '');
    const half = (CHARACTERS * BYTES_PER_CHARACTER) / 2;
    expect(row?.completion_tokens).toBe(Math.ceil((half / 16_000) * 20.8));
    expect(JSON.parse(row?.other ?? '{}').ending).toBe('upstream_broke');
  });

  test('that breaks before its first byte is retried on the next channel', async () => {
    const tenant = await tenantOf('tts-1');
    await spareChannel(tenant);
    tenant.script({ fault: { ending: 'reset', after: 'head' } });
    const answer = await send(tenant, SPEECH, { input: INPUT, voice: 'alloy' });
    expect(answer.bytes.equals(soundOf(INPUT))).toBe(true);
  });

  test('is aborted upstream when the client leaves, and is charged for what was delivered', async () => {
    const tenant = await tenantOf('gpt-4o-mini-tts');
    tenant.script({ hold: 1, parts: 4 });
    const body = { model: tenant.model, input: INPUT, voice: 'alloy' };
    const open = await site.start({ path: SPEECH, key: tenant.token.key, body });
    await open.leave();
    await site.upstream.until(({ aborted }) => aborted === 1);
    const row = await eventually('the charge', () => site.logOf(open.requestId));
    expect(JSON.parse(row.other).ending).toBe('client_left');
    expect(row.completion_tokens).toBeLessThan(
      ((CHARACTERS * BYTES_PER_CHARACTER) / 16_000) * 20.8,
    );
  });

  test('pauses the upstream for a client that does not read, and loses no byte', async () => {
    const MEGABYTE = 1024 * 1024;
    const raw = await rawUpstream();
    raw.answer = async (response) => {
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      await pour(response, 'x'.repeat(64 * 1024), 1000);
      response.end();
    };
    const tenant = await addTenant(site, { price: PRICE, channel: { base_url: raw.url } });
    const memoryBefore = process.memoryUsage().arrayBuffers;
    const body = { model: tenant.model, input: INPUT, voice: 'alloy' };
    const answer = await site.start({ path: SPEECH, key: tenant.token.key, body });
    const [held] = raw.open;
    if (held === undefined) throw new Error('the upstream was not called');
    const sent = await standsStill(() => bytesOut(held));
    // The socket buffers on both sides fill; most of the 62 MB is still to come.
    expect(sent).toBeLessThan(32 * MEGABYTE);
    expect(process.memoryUsage().arrayBuffers - memoryBefore).toBeLessThan(24 * MEGABYTE);
    let bytes = 0;
    for await (const part of answer.body) bytes += part.length;
    expect(bytes).toBe(64 * 1024 * 1000);
    await raw.close();
  });

  test('with an error inside a status 200 is a failed attempt', async () => {
    const tenant = await tenantOf('tts-1');
    tenant.script({ refuse: { status: 200, style: 'minimax', message: 'no' } });
    const answer = await send(tenant, SPEECH, { input: INPUT, voice: 'alloy' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    await tenant.expectNothing(answer.requestId);
  });
});

describe('a transcript', () => {
  const SECONDS = 61.2;
  const file: Upload = { name: 'file', value: wav(SECONDS), filename: 'a.wav', type: 'audio/wav' };
  const parts = (tenant: Tenant, ...more: Upload[]) => [
    file,
    { name: 'model', value: tenant.model },
    ...more,
  ];
  const format = (value: string) => ({ name: 'response_format', value });

  test.each(['json', 'verbose_json', 'text', 'srt', 'vtt'])(
    'by whisper as %s is charged by its duration: 61.2 s are 1033 tokens',
    async (wanted) => {
      const tenant = await tenantOf('whisper-1');
      tenant.script({ usage: wanted === 'json' ? 'double' : 'none' });
      const answer = await sendForm(tenant, TRANSCRIPTIONS, parts(tenant, format(wanted)));
      expect(answer.text).toContain(TRANSCRIPT);
      const isJson = wanted.endsWith('json');
      expect(answer.headers['content-type']).toMatch(isJson ? 'application/json' : 'text/plain');
      await tenant.expectCharged(answer.requestId, {
        units: 1033,
        source: isJson ? 'upstream' : 'estimated',
        prompt: 1033,
        completion: 0,
      });
    },
  );

  test('by a model that counts tokens is charged separately for audio and text', async () => {
    const tenant = await tenantOf('gpt-4o-transcribe');
    const answer = await sendForm(
      tenant,
      TRANSCRIPTIONS,
      parts(tenant, { name: 'prompt', value: 'a fox, a dog' }),
    );
    expect(JSON.parse(answer.text).text).toBe(TRANSCRIPT);
    const usage = transcriptUsage(wav(SECONDS).toString('latin1'), 'a fox, a dog');
    const { audio_tokens: audio, text_tokens: text } = usage.input_token_details;
    await tenant.expectCharged(answer.requestId, {
      units: text + audio * 2 + usage.output_tokens * 4,
      source: 'upstream',
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
    });
  });

  test('in a stream sends its last event after the settlement', async () => {
    const tenant = await tenantOf('gpt-4o-transcribe');
    const answer = await sendForm(
      tenant,
      TRANSCRIPTIONS,
      parts(tenant, { name: 'stream', value: 'true' }),
    );
    const events = eventsOf(answer.text);
    expect(events.map(({ delta }) => delta ?? '').join('')).toBe(TRANSCRIPT);
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: TRANSCRIPT });
    expect((await site.logOf(answer.requestId))?.usage_source).toBe('upstream');
  });

  test('that breaks in its stream is charged by its duration', async () => {
    const tenant = await tenantOf('gpt-4o-transcribe');
    tenant.script({ fault: { ending: 'end', after: 2 } });
    const answer = await sendForm(
      tenant,
      TRANSCRIPTIONS,
      parts(tenant, { name: 'stream', value: 'true' }),
    );
    expect(eventsOf(answer.text).at(-1)).toHaveProperty('error');
    expect(await site.logOf(answer.requestId)).toMatchObject({
      usage_source: 'estimated',
      prompt_tokens: 1033,
    });
  });

  test("places a hold for the price of the file's duration", async () => {
    const tenant = await tenantOf('whisper-1');
    tenant.script({ hold: 'head' });
    const call = sendForm(tenant, TRANSCRIPTIONS, parts(tenant));
    await eventually('the hold', async () => (await site.openHolds(tenant.user.id)) === 1);
    expect((await site.balance(tenant.user.id)).held).toBe(Math.round(1033 * 1.25));
    site.upstream.release();
    await call;
    expect((await tenant.bill()).held).toEqual(NOTHING.held);
  });

  test('for a translation is charged in the same way', async () => {
    const tenant = await tenantOf('whisper-1');
    const answer = await sendForm(tenant, '/v1/audio/translations', parts(tenant));
    expect(JSON.parse(answer.text).text).toBe(TRANSCRIPT);
    expect(site.upstream.requests.at(-1)?.path).toBe('/v1/audio/translations');
  });

  test('forwards every form field, including repeated ones', async () => {
    const tenant = await tenantOf('whisper-1');
    const granularities = ['word', 'segment'].map((value) => ({
      name: 'timestamp_granularities[]',
      value,
    }));
    const more = [format('verbose_json'), ...granularities, { name: 'language', value: 'en' }];
    const answer = await sendForm(tenant, TRANSCRIPTIONS, parts(tenant, ...more));
    expect(answer.status).toBe(200);
    const sent = site.upstream.requests.at(-1)?.body ?? '';
    expect(sent.match(/name="timestamp_granularities\[\]"/g)).toHaveLength(2);
    expect(sent).toMatch(/name="language"\r\n\r\nen\r\n/);
    expect(sent).toContain(wav(SECONDS).toString('latin1'));
  });

  test('without a model uses whisper-1', async () => {
    const tenant = await tenantOf('whisper-1');
    const answer = await sendForm(tenant, TRANSCRIPTIONS, [file]);
    expect(JSON.parse(answer.text).error.message).toContain('whisper-1');
  });
});

describe('a refused form', () => {
  const cases: readonly (readonly [string, Upload[], string | null, string])[] = [
    ['without a file', [], 'file', 'missing_required_parameter'],
    [
      'with an empty file',
      [{ name: 'file', value: '', filename: 'a' }],
      'file',
      'missing_required_parameter',
    ],
    [
      'with a text for a file',
      [{ name: 'file', value: 'abc' }],
      'file',
      'missing_required_parameter',
    ],
    [
      'with a switch that is none',
      [
        { name: 'file', value: 'x', filename: 'a' },
        { name: 'stream', value: 'maybe' },
      ],
      'stream',
      'invalid_value',
    ],
    [
      'with a field too long',
      [
        { name: 'file', value: 'x', filename: 'a' },
        { name: 'prompt', value: 'x'.repeat(1024 * 1024 + 1) },
      ],
      'prompt',
      'invalid_value',
    ],
    [
      'with too many files',
      Array.from({ length: 41 }, () => ({ name: 'file', value: 'x', filename: 'a' })),
      'file',
      'invalid_value',
    ],
  ];

  test.each(cases)('%s is refused by the name of the field', async (_name, parts, param, code) => {
    site.upstream.reset();
    const all = [{ name: 'model', value: 'whisper-1' }, ...parts];
    const answer = await site.call({ path: TRANSCRIPTIONS, ...formBody(all) });
    expect([answer.status, JSON.parse(answer.text).error]).toMatchObject([400, { param, code }]);
    expect(site.upstream.requests).toEqual([]);
  });

  test.each([
    ['JSON', { rawBody: '{"model":"whisper-1"}' }],
    ['no boundary', { rawBody: 'x', headers: { 'content-type': 'multipart/form-data' } }],
    ['cut short', cutShort()],
  ])('%s is refused as an invalid form', async (_name, call) => {
    const answer = await site.call({ path: TRANSCRIPTIONS, ...call });
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([400, 'invalid_form']);
  });

  test('over the body limit is refused', async () => {
    const small = await aSite({ config: { maxBodyMb: '0.01' } });
    const parts = [{ name: 'file', value: wav(20), filename: 'a.wav' }];
    const answer = await small.call({ path: TRANSCRIPTIONS, ...formBody(parts) });
    await small.close();
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([413, 'request_too_large']);
  });
});

function cutShort() {
  const { rawBody, headers } = formBody([{ name: 'file', value: wav(1), filename: 'a.wav' }]);
  return { rawBody: rawBody.subarray(0, 500), headers };
}
