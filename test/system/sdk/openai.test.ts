/** OpenAI's SDK: chat completions. */
import OpenAI from 'openai';
import type { ChatCompletion, ChatCompletionMessageParam } from 'openai/resources';
import { itemsOf } from '../../support/items-of.ts';
import { OPENAI_DIFFERENCES } from './differences.ts';
import {
  CITY,
  type Endpoint,
  leaving,
  PERSON,
  PNG,
  refusals,
  type Scenario,
  sameAsDirect,
} from './endpoints.ts';

const MODEL = 'gpt-5.4-mini';

const TOOLS = ['get_weather', 'get_time'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: CITY },
}));

function chats({ url, key }: Endpoint) {
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 }).chat.completions;
}

type RequestFields = Omit<
  OpenAI.ChatCompletionCreateParamsNonStreaming,
  'model' | 'messages' | 'stream'
>;

function summaryOf({ model, choices, usage }: ChatCompletion) {
  return {
    model,
    completion: usage?.completion_tokens,
    choices: choices.map(({ index, finish_reason, message }) => {
      const { role, content, refusal, tool_calls: calls } = message;
      const thoughts = 'reasoning_content' in message ? message.reasoning_content : undefined;
      const tools = calls?.map((call) => (call.type === 'function' ? call.function : call.custom));
      return { index, finish_reason, role, content, refusal, thoughts, tools };
    }),
  };
}

function plain(messages: ChatCompletionMessageParam[], extra: RequestFields = {}): Scenario {
  return async (endpoint) =>
    summaryOf(await chats(endpoint).create({ model: MODEL, messages, ...extra }));
}

function streamed(messages: ChatCompletionMessageParam[], extra: RequestFields = {}): Scenario {
  return async (endpoint) => {
    const stream_options = { include_usage: true };
    const stream = chats(endpoint).stream({ model: MODEL, messages, stream_options, ...extra });
    const chunks = await itemsOf(stream);
    const thoughts = chunks
      .map(({ choices: [choice] }) => choice?.delta)
      .map((delta) => (delta && 'reasoning_content' in delta ? delta.reasoning_content : ''));
    return {
      ...summaryOf(await stream.finalChatCompletion()),
      thoughts: thoughts.join(''),
      usages: chunks.filter(({ usage }) => usage).length,
      finishes: chunks.flatMap(({ choices: [choice] }) => choice?.finish_reason ?? []),
    };
  };
}

const user = (content: string) => ({ role: 'user', content }) as const;
const HELLO = [user('Tell me about 世界 and 🌍, please.')];
const PICTURE: ChatCompletionMessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    ],
  },
];
const FORMAT = {
  type: 'json_schema' as const,
  json_schema: { name: 'person', strict: true, schema: PERSON },
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a plain answer': plain(HELLO),
  'a stream': streamed(HELLO),
  'a system prompt and a developer’s word': plain([
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'Be kind.' },
    ...HELLO,
  ]),
  'a conversation': plain([...HELLO, { role: 'assistant', content: 'Round.' }, user('And flat?')]),
  'parallel calls': plain([user('get_weather and get_time')], { tools: TOOLS }),
  'parallel calls in a stream': streamed([user('get_weather and get_time')], { tools: TOOLS }),
  'a tool that is demanded': plain(HELLO, {
    tools: TOOLS,
    tool_choice: { type: 'function', function: { name: 'get_time' } },
  }),
  async 'the results of calls'(endpoint) {
    const messages: ChatCompletionMessageParam[] = [user('get_weather and get_time')];
    const request = { model: MODEL, tools: TOOLS };
    const first = await chats(endpoint).create({ ...request, messages });
    const message = first.choices[0]?.message;
    if (message === undefined) throw new Error('no message');
    const results = (message.tool_calls ?? []).map(
      ({ id }) => ({ role: 'tool', tool_call_id: id, content: '{"it":"is fine"}' }) as const,
    );
    return summaryOf(
      await chats(endpoint).create({ ...request, messages: [...messages, message, ...results] }),
    );
  },
  'a picture': plain(PICTURE),
  thoughts: plain(HELLO, { reasoning_effort: 'medium' }),
  'thoughts in a stream': streamed(HELLO, { reasoning_effort: 'medium' }),
  'an answer that obeys a schema': plain(HELLO, { response_format: FORMAT }),
  'an answer that reaches its limit': streamed(HELLO, { max_completion_tokens: 4 }),
  refusals: (endpoint) =>
    refusals(endpoint, () => chats(endpoint).create({ model: MODEL, messages: HELLO })),
  'a client that leaves': (endpoint) =>
    leaving(endpoint, async (signal) => {
      const request = { model: MODEL, messages: HELLO, stream: true } as const;
      const stream = await chats(endpoint).create(request, { signal });
      return texts(stream);
    }),
};

sameAsDirect('the OpenAI SDK', [MODEL], SCENARIOS, OPENAI_DIFFERENCES);

async function* texts(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): AsyncIterable<string> {
  for await (const chunk of stream) yield chunk.choices[0]?.delta.content ?? '';
}
