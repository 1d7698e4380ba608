/** Google's SDK: generateContent. */
import {
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
} from '@google/genai';
import { itemsOf } from '../../support/items-of.ts';
import { GOOGLE_DIFFERENCES } from './differences.ts';
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

const MODEL = 'gemini-3.1-pro-preview';
const TOOLS = [
  {
    functionDeclarations: ['get_weather', 'get_time'].map((name) => ({
      name,
      parametersJsonSchema: CITY,
    })),
  },
];

function models({ url, key }: Endpoint) {
  return new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } }).models;
}

function request(contents: Content[], config: GenerateContentConfig = {}) {
  return { model: MODEL, contents, config };
}

function partsOf(answers: readonly GenerateContentResponse[]): Part[] {
  return answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
}

/**
 * Text may arrive in any number of parts; ids and signatures are ignored, because they differ by
 * issuer.
 */
function summaryOf(answers: readonly GenerateContentResponse[]) {
  const parts = partsOf(answers);
  const content = (isThought: boolean) =>
    parts
      .filter(({ thought }) => (thought ?? false) === isThought)
      .map(({ text }) => text ?? '')
      .join('');
  const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
  const last = answers.at(-1);
  return {
    model: new Set(answers.map(({ modelVersion }) => modelVersion)),
    text: content(false),
    thoughts: content(true),
    calls: calls.map(({ name, args }) => ({ name, args })),
    finishes: answers.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? []),
    counts: [last?.usageMetadata?.candidatesTokenCount, last?.usageMetadata?.thoughtsTokenCount],
  };
}

function plain(contents: Content[], config?: GenerateContentConfig): Scenario {
  return async (endpoint) =>
    summaryOf([await models(endpoint).generateContent(request(contents, config))]);
}

function streamed(contents: Content[], config?: GenerateContentConfig): Scenario {
  return async (endpoint) =>
    summaryOf(
      await itemsOf(await models(endpoint).generateContentStream(request(contents, config))),
    );
}

const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const HELLO = [user({ text: 'Tell me about 世界 and 🌍, please.' })];
const ASKS_BOTH = [user({ text: 'get_weather and get_time' })];
const THINKS = {
  thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH },
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a plain answer': plain(HELLO),
  'a stream': streamed(HELLO),
  'a system prompt': plain(HELLO, { systemInstruction: 'Be brief.' }),
  'a conversation': plain([
    ...HELLO,
    { role: 'model', parts: [{ text: 'Round.' }] },
    user({ text: 'And flat?' }),
  ]),
  'parallel calls': plain(ASKS_BOTH, { tools: TOOLS }),
  'parallel calls in a stream': streamed(ASKS_BOTH, { tools: TOOLS }),
  async 'the results of calls'(endpoint) {
    const first = await models(endpoint).generateContent(request(ASKS_BOTH, { tools: TOOLS }));
    const made = first.candidates?.[0]?.content;
    const results = partsOf([first]).flatMap(({ functionCall: call }): Part[] => {
      if (call === undefined) return [];
      const { id, name } = call;
      const response = { it: 'is fine' };
      return [{ functionResponse: { ...(id ? { id } : {}), name: name ?? '', response } }];
    });
    const history = [...ASKS_BOTH, ...(made ? [made] : []), user(...results)];
    return summaryOf([await models(endpoint).generateContent(request(history, { tools: TOOLS }))]);
  },
  'a picture': plain([
    user({ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: PNG } }),
  ]),
  thoughts: plain(HELLO, THINKS),
  'thoughts in a stream': streamed(HELLO, THINKS),
  'thoughts without a level': plain(HELLO, { thinkingConfig: { includeThoughts: true } }),
  'an answer that obeys a schema': plain(HELLO, {
    responseMimeType: 'application/json',
    responseJsonSchema: PERSON,
  }),
  'an answer that reaches its limit': streamed(HELLO, { maxOutputTokens: 4 }),
  refusals: (endpoint) =>
    refusals(endpoint, () => models(endpoint).generateContent(request(HELLO))),
  'a client that leaves': (endpoint) =>
    leaving(endpoint, async (abortSignal) =>
      texts(await models(endpoint).generateContentStream(request(HELLO, { abortSignal }))),
    ),
};

sameAsDirect('the Google SDK', [MODEL], SCENARIOS, GOOGLE_DIFFERENCES);

async function* texts(stream: AsyncIterable<GenerateContentResponse>): AsyncIterable<string> {
  for await (const answer of stream) yield answer.text ?? '';
}
