/** OpenAI's SDK against the gateway: what the scenarios and errors of `test/system/sdk` do not show. */
import OpenAI, { APIConnectionError, APIError } from 'openai';
import { describe, expect, test } from 'vitest';
import { itemsOf } from '../../support/items-of.ts';
import { chat, clock } from '../../support/openai-chat.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { aSite } from '../../support/site.ts';
import { expectedAnswer, expectedUsage } from '../../upstream/content/usage.ts';

const site = await sharedSite({ config: { clientGraceMs: 1 } });
const client = new OpenAI({ apiKey: site.token.key, baseURL: `${site.url}/v1`, maxRetries: 0 });
await site.addChannel({
  name: 'azure',
  type: 'azure',
  other: '2024-10-21',
  models: 'azure-gpt',
  model_mapping: '{"azure-gpt":"gpt-4o"}',
});
await site.option('ModelRatio', {
  'gpt-4o-mini': 0.075,
  'gpt-4o': 1.25,
  'gpt-3.5-turbo-instruct': 0.75,
});

/** The error of a call that must fail. */
async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}

describe('a chat with the OpenAI SDK', () => {
  test('has as many answers as requested, each with its own text', async () => {
    const several = { ...chat, n: 3 };
    const expected = expectedAnswer(several);
    const plain = await client.chat.completions.create(several);
    expect(plain.choices.map((choice) => choice.message.content)).toEqual(expected.texts);
    expect(plain.usage).toEqual(expected.usage);
    const stream = client.chat.completions.stream(several);
    const final = await stream.finalChatCompletion();
    expect(final.choices.map((choice) => choice.message.content)).toEqual(expected.texts);
  });

  test('returns the log probabilities of its tokens', async () => {
    const answer = await client.chat.completions.create({
      ...chat,
      logprobs: true,
      top_logprobs: 2,
    });
    const tokens = answer.choices[0]?.logprobs?.content ?? [];
    expect(tokens.map((token) => token.token).join('')).toBe(expectedAnswer(chat).texts[0]);
    expect(tokens[0]?.top_logprobs).toHaveLength(2);
    const chunks = await itemsOf(
      await client.chat.completions.create({ ...chat, logprobs: true, stream: true }),
    );
    const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(streamed.map((token) => token.token)).toEqual(tokens.map((token) => token.token));
  });

  test('over an Azure channel is like any other, without Azure’s extra frames and names', async () => {
    const azureChat = { ...chat, model: 'azure-gpt' };
    const answer = await client.chat.completions.create(azureChat);
    expect([answer.model, answer.choices[0]?.message.content]).toEqual([
      'azure-gpt',
      expectedAnswer(chat).texts[0],
    ]);
    const chunks = await itemsOf(
      await client.chat.completions.create({ ...azureChat, stream: true }),
    );
    expect(chunks.every((chunk) => chunk.choices.length > 0 && chunk.model === 'azure-gpt')).toBe(
      true,
    );
    const helped = client.chat.completions.stream({
      ...azureChat,
      tools: [clock],
      tool_choice: 'required',
    });
    const final = await helped.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls).toHaveLength(1);
    const seen = site.upstream.requests.map(({ path, headers }) => [path, headers['api-key']]);
    for (const [path, key] of seen) {
      expect(path).toBe('/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21');
      expect(key).toBe('sk-fake-upstream-key');
    }
  });
});

test('runTools completes all calls in sequence, streamed or not', async () => {
  const sentQueries: unknown[] = [];
  const runnable = {
    type: 'function' as const,
    function: {
      ...clock.function,
      description: 'The time of day',
      function: (given: string) => {
        sentQueries.push(JSON.parse(given));
        return 'noon';
      },
    },
  };
  const body = {
    ...chat,
    messages: [{ role: 'user' as const, content: 'get_time' }],
    tools: [runnable],
  };
  const before = (await site.chargesOf(site.user.id)).length;
  expect(await client.chat.completions.runTools(body).finalContent()).toBe(
    'The tool answered: noon',
  );
  const streaming = client.chat.completions.runTools({ ...body, stream: true });
  expect(await streaming.finalContent()).toBe('The tool answered: noon');
  expect(sentQueries).toEqual([{ zone: 'zonexxxxx' }, { zone: 'zonexxxxx' }]);
  expect(await site.chargesOf(site.user.id)).toHaveLength(before + 4);
});

test('legacy prompts are completed, plain and streamed', async () => {
  const request = { model: 'gpt-3.5-turbo-instruct', prompt: 'word '.repeat(30) };
  const answer = await client.completions.create(request);
  expect(answer.usage).toEqual(expectedUsage(request));
  const chunks = await itemsOf(await client.completions.create({ ...request, stream: true }));
  const text = chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('');
  expect(text).toBe(answer.choices[0]?.text);
});

describe('an error raised by the OpenAI SDK', () => {
  test('in the middle of a stream is raised after the content before it', async () => {
    site.upstream.script('error-mid-stream:4');
    const stream = await client.chat.completions.create({ ...chat, stream: true });
    const seen: string[] = [];
    const reading = async () => {
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
    };
    expect(await failureOf(reading())).toBeInstanceOf(APIError);
    expect(seen.join('')).not.toBe('');
    expect(expectedAnswer(chat).texts[0]).toContain(seen.join(''));
  });

  test('for a gateway that disconnects is an APIConnectionError', async () => {
    const other = await aSite({ config: { drainTimeoutMs: 0, clientGraceMs: 0 } });
    other.upstream.setDefault('hold');
    const lonely = client.withOptions({ apiKey: other.token.key, baseURL: `${other.url}/v1` });
    const waiting = failureOf(lonely.chat.completions.create(chat));
    await other.upstream.until((stats) => stats.openCalls === 1);
    await other.close();
    expect(await waiting).toBeInstanceOf(APIConnectionError);
    const refused = await failureOf(lonely.chat.completions.create(chat));
    expect(refused).toBeInstanceOf(APIConnectionError);
  });
});

test('retries by the SDK are separate calls: failed ones are free, the answered one is charged once', async () => {
  const owner = await site.addUser();
  const { key } = await site.addToken({ owner });
  const patient = client.withOptions({ apiKey: key, maxRetries: 3 });
  site.upstream.script('status:503', 'rate-limit-ms:1');
  const answer = await patient.chat.completions.create(chat);
  expect(site.upstream.stats).toMatchObject({ calls: 3, refused: 2, servedInFull: 1 });
  const charges = await site.chargesOf(owner.id);
  expect(charges.map((charge) => charge.key)).toEqual([`call:${answer._request_id}`]);
});
