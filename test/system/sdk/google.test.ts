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
  leaving,
  PERSON,
  type Place,
  PNG,
  refusals,
  type Scenario,
  sameAsDirect,
} from './places.ts';

const MODEL = 'gemini-3.1-pro-preview';
const TOOLS = [
  {
    functionDeclarations: ['get_weather', 'get_time'].map((name) => ({
      name,
      parametersJsonSchema: CITY,
    })),
  },
];

function models({ url, key }: Place) {
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
  return async (place) =>
    summaryOf([await models(place).generateContent(request(contents, config))]);
}

function streamed(contents: Content[], config?: GenerateContentConfig): Scenario {
  return async (place) =>
    summaryOf(await itemsOf(await models(place).generateContentStream(request(contents, config))));
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
  async 'the results of calls'(place) {
    const first = await models(place).generateContent(request(ASKS_BOTH, { tools: TOOLS }));
    const made = first.candidates?.[0]?.content;
    const results = partsOf([first]).flatMap(({ functionCall: call }): Part[] => {
      if (call === undefined) return [];
      const { id, name } = call;
      const response = { it: 'is fine' };
      return [{ functionResponse: { ...(id ? { id } : {}), name: name ?? '', response } }];
    });
    const history = [...ASKS_BOTH, ...(made ? [made] : []), user(...results)];
    return summaryOf([await models(place).generateContent(request(history, { tools: TOOLS }))]);
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
  refusals: (place) => refusals(place, () => models(place).generateContent(request(HELLO))),
  'a client that leaves': (place) =>
    leaving(place, async (abortSignal) =>
      texts(await models(place).generateContentStream(request(HELLO, { abortSignal }))),
    ),
};

sameAsDirect('the Google SDK', [MODEL], SCENARIOS, GOOGLE_DIFFERENCES);

async function* texts(stream: AsyncIterable<GenerateContentResponse>): AsyncIterable<string> {
  for await (const answer of stream) yield answer.text ?? '';
}
