/** Anthropic's SDK: messages. */
import Anthropic from '@anthropic-ai/sdk';
import { itemsOf } from '../../support/items-of.ts';
import { ANTHROPIC_DIFFERENCES } from './differences.ts';
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

const MODEL = 'claude-sonnet-4-5';
const TOOLS = ['get_weather', 'get_time'].map((name) => ({ name, input_schema: CITY }));

type RequestFields = Partial<Anthropic.MessageCreateParamsNonStreaming>;
type Messages = Anthropic.MessageParam[];

function client({ url, key }: Endpoint) {
  return new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 }).messages;
}

/** Ids and signatures are ignored, because they differ by issuer. */
function summaryOf({
  type,
  role,
  model,
  content,
  stop_reason,
  stop_sequence,
  usage,
}: Anthropic.Message) {
  const blocks = content.map((block) => {
    if (block.type === 'tool_use')
      return { type: block.type, name: block.name, input: block.input };
    if (block.type === 'thinking') return { type: block.type, thinking: block.thinking };
    return block.type === 'text' ? { type: block.type, text: block.text } : block;
  });
  const output = usage.output_tokens;
  return { type, role, model, blocks, stop_reason, stop_sequence, output };
}

function body(messages: Messages, extra: RequestFields) {
  return { model: MODEL, max_tokens: 4096, messages, ...extra };
}

function plain(messages: Messages, extra: RequestFields = {}): Scenario {
  return async (endpoint) => summaryOf(await client(endpoint).create(body(messages, extra)));
}

function streamed(messages: Messages, extra: RequestFields = {}): Scenario {
  return async (endpoint) => {
    const stream = client(endpoint).stream(body(messages, extra));
    const events = await itemsOf(stream);
    const marks = events.map(({ type }) => type).filter((type) => type !== 'content_block_delta');
    return { ...summaryOf(await stream.finalMessage()), marks };
  };
}

const user = (content: string) => ({ role: 'user', content }) as const;
const HELLO: Messages = [user('Tell me about 世界 and 🌍, please.')];
const ASKS_BOTH: Messages = [user('get_weather and get_time')];
const PICTURE: Messages = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    ],
  },
];
const THINKS = { thinking: { type: 'enabled', budget_tokens: 1024 } } as const;

async function withResults(endpoint: Endpoint, extra: RequestFields) {
  const first = await client(endpoint).create(body(ASKS_BOTH, { tools: TOOLS, ...extra }));
  const results = first.content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ type: 'tool_result', tool_use_id: block.id, content: '{"it":"is fine"}' } as const]
      : [],
  );
  const history: Messages = [
    ...ASKS_BOTH,
    { role: 'assistant', content: first.content },
    { role: 'user', content: results },
  ];
  return summaryOf(await client(endpoint).create(body(history, { tools: TOOLS, ...extra })));
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a plain answer': plain(HELLO),
  'a stream': streamed(HELLO),
  'a system prompt': plain(HELLO, {
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  }),
  'a conversation': plain([...HELLO, { role: 'assistant', content: 'Round.' }, user('And flat?')]),
  'parallel calls': plain(ASKS_BOTH, { tools: TOOLS }),
  'parallel calls in a stream': streamed(ASKS_BOTH, { tools: TOOLS }),
  'a tool that is demanded': plain(HELLO, {
    tools: TOOLS,
    tool_choice: { type: 'tool', name: 'get_time' },
  }),
  'the results of calls': (endpoint) => withResults(endpoint, {}),
  'the results of calls made in thought': (endpoint) => withResults(endpoint, THINKS),
  'a picture': plain(PICTURE),
  thoughts: plain(HELLO, THINKS),
  'thoughts in a stream': streamed(HELLO, THINKS),
  'an answer that obeys a schema': plain(HELLO, {
    output_config: { format: { type: 'json_schema', schema: PERSON } },
  }),
  'an answer that reaches its limit': streamed(HELLO, { max_tokens: 4 }),
  refusals: (endpoint) => refusals(endpoint, () => client(endpoint).create(body(HELLO, {}))),
  'a client that leaves': (endpoint) =>
    leaving(endpoint, async (signal) => {
      const request = { ...body(HELLO, {}), stream: true } as const;
      return texts(await client(endpoint).create(request, { signal }));
    }),
};

sameAsDirect('the Anthropic SDK', [MODEL], SCENARIOS, ANTHROPIC_DIFFERENCES);

async function* texts(stream: AsyncIterable<Anthropic.MessageStreamEvent>): AsyncIterable<string> {
  for await (const event of stream)
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      yield event.delta.text;
}
