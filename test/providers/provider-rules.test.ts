/** Rules of each provider, one row per rule: a client's chat body and the body sent. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/json/read-json.ts';
import { shapeBody } from '../../src/providers/requests/shape-body.ts';
import { PROVIDERS } from '../../src/providers/rows/provider-rows.ts';

interface Rule {
  readonly rule: string;
  readonly provider: string;
  readonly model: string;
  readonly given: JsonObject;
  /** Without model; 'unchanged' if the bytes pass through. */
  readonly sent: JsonObject | 'unchanged';
  readonly stream?: boolean;
  readonly isListed?: boolean;
}

const HI = { role: 'user', content: 'Hi' } as const;
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
const CALLED = { role: 'assistant', content: null, tool_calls: [CALL] } as const;
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: 'ok' } as const;
const THINKING_OFF = { thinking: { type: 'disabled' } } as const;
const THINKING_ON = { thinking: { type: 'enabled' } } as const;
const SCHEMA = { type: 'object' } as const;

function effort(level: string): JsonObject {
  return { reasoning_effort: level };
}

const RULES: readonly Rule[] = [
  {
    rule: 'Kimi fixes sampling: what differs from its values is not sent',
    provider: 'moonshot',
    model: 'kimi-k2.6',
    given: { temperature: 0.3, top_p: 0.95, n: 1, max_tokens: 9 },
    sent: { top_p: 0.95, n: 1, max_completion_tokens: 9 },
  },
  {
    rule: 'Kimi K3 knows three levels and always thinks',
    provider: 'moonshot',
    model: 'kimi-k3',
    given: effort('medium'),
    sent: effort('low'),
  },
  {
    rule: 'Kimi K3 cannot be told not to think',
    provider: 'moonshot',
    model: 'kimi-k3',
    given: effort('none'),
    sent: effort('low'),
  },
  {
    rule: 'older Kimi models have a switch',
    provider: 'moonshot',
    model: 'kimi-k2.5',
    given: effort('none'),
    sent: THINKING_OFF,
  },
  {
    rule: 'Kimi refuses strict tools',
    provider: 'moonshot',
    model: 'kimi-k3',
    given: { tools: [{ type: 'function', function: { name: 'f', strict: true } }] },
    sent: { tools: [{ type: 'function', function: { name: 'f' } }] },
  },
  ...['moonshot', 'deepseek'].map((provider) => ({
    rule: 'turns that called a tool bring their reasoning, a blank where it is lost',
    provider,
    model: provider === 'moonshot' ? 'kimi-k3' : 'deepseek-v4-pro',
    given: { messages: [HI, CALLED, RESULT] },
    sent: { messages: [HI, { ...CALLED, reasoning_content: ' ' }, RESULT] },
  })),
  {
    rule: 'reasoning that the client kept goes back as it is',
    provider: 'deepseek',
    model: 'deepseek-v4-pro',
    given: { messages: [HI, { ...CALLED, reasoning_content: 'Hm' }, RESULT] },
    sent: 'unchanged',
  },
  {
    rule: 'DeepSeek knows high and max',
    provider: 'deepseek',
    model: 'deepseek-v4-pro',
    given: effort('xhigh'),
    sent: { ...THINKING_ON, ...effort('high') },
  },
  {
    rule: 'DeepSeek is told not to think by a switch',
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    given: effort('none'),
    sent: THINKING_OFF,
  },
  {
    rule: 'fields of the provider that the client sends are kept',
    provider: 'deepseek',
    model: 'deepseek-v4-pro',
    given: { ...effort('high'), ...THINKING_OFF },
    sent: { ...effort('high'), ...THINKING_OFF },
  },
  {
    rule: 'GLM takes sampling between the ends only',
    provider: 'zhipu-v4',
    model: 'glm-4.6',
    given: { temperature: 1, top_p: 0 },
    sent: { temperature: 0.99, top_p: 0.01 },
  },
  {
    rule: 'GLM streams the arguments of tools when asked',
    provider: 'zhipu',
    model: 'glm-4.6',
    stream: true,
    given: { stream: true, stream_options: { include_usage: true }, tools: [{ type: 'function' }] },
    sent: {
      tool_stream: true,
      stream: true,
      stream_options: { include_usage: true },
      tools: [{ type: 'function' }],
    },
  },
  {
    rule: 'GLM answers with JSON, to a schema in words',
    provider: 'zhipu-v4',
    model: 'glm-4.6',
    given: {
      messages: [HI],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA } },
    },
    sent: {
      messages: [
        { role: 'system', content: 'Answer with JSON that fits this schema: {"type":"object"}' },
        HI,
      ],
      response_format: { type: 'json_object' },
    },
  },
  {
    rule: 'GLM has a switch for thinking',
    provider: 'zhipu-v4',
    model: 'glm-5.3',
    given: effort('high'),
    sent: THINKING_ON,
  },
  {
    rule: 'Qwen has another switch',
    provider: 'alibaba',
    model: 'qwen3.8-max',
    given: effort('none'),
    sent: { enable_thinking: false },
  },
  {
    rule: 'DashScope takes system messages at the start only',
    provider: 'alibaba',
    model: 'qwen-plus',
    given: { messages: [HI, { role: 'developer', content: 'Now' }] },
    sent: { messages: [{ role: 'system', content: 'Now' }, HI] },
  },
  {
    rule: 'the ending -search switches the search of Qwen on',
    provider: 'alibaba',
    model: 'qwen-plus-search',
    isListed: false,
    given: {},
    sent: { model: 'qwen-plus', enable_search: true },
  },
  {
    rule: 'the ending -search switches the search of ERNIE on',
    provider: 'baidu-v2',
    model: 'ernie-5.0-search',
    isListed: false,
    given: {},
    sent: { model: 'ernie-5.0', web_search: { enable: true } },
  },
  {
    rule: 'the ending -thinking switches thinking on at Volcengine',
    provider: 'volcengine',
    model: 'deepseek-v3-1-thinking',
    isListed: false,
    given: {},
    sent: { model: 'deepseek-v3-1', ...THINKING_ON },
  },
  {
    rule: 'a model listed under such a name keeps it',
    provider: 'volcengine',
    model: 'deepseek-v3-1-thinking',
    given: {},
    sent: 'unchanged',
  },
  {
    rule: 'Doubao knows four levels',
    provider: 'volcengine',
    model: 'doubao-seed-2-0-pro',
    given: effort('max'),
    sent: effort('high'),
  },
  {
    rule: 'the first Spark models know no system messages',
    provider: 'iflytek',
    model: 'lite',
    given: { messages: [{ role: 'system', content: 'Be brief' }, HI] },
    sent: { messages: [{ role: 'user', content: 'Be brief' }, HI] },
  },
  {
    rule: 'later Spark models do',
    provider: 'iflytek',
    model: '4.0Ultra',
    given: { messages: [{ role: 'system', content: 'Be brief' }, HI] },
    sent: 'unchanged',
  },
  {
    rule: 'MiniMax is asked for thoughts apart from the text',
    provider: 'minimax',
    model: 'MiniMax-M2.7',
    given: { messages: [HI] },
    sent: { messages: [HI], reasoning_split: true },
  },
  {
    rule: 'but not where the client wants them in it',
    provider: 'minimax',
    model: 'MiniMax-M2.7',
    given: { messages: [HI], reasoning_split: false },
    sent: 'unchanged',
  },
  {
    rule: 'Mistral takes ids of nine letters and digits, the same in call and result',
    provider: 'mistral',
    model: 'mistral-large-latest',
    given: { messages: [HI, CALLED, RESULT] },
    sent: {
      messages: [
        HI,
        { ...CALLED, tool_calls: [{ ...CALL, id: '74196fe72' }] },
        { ...RESULT, tool_call_id: '74196fe72' },
      ],
    },
  },
  {
    rule: 'Mistral keeps ids of its own',
    provider: 'mistral',
    model: 'mistral-large-latest',
    given: {
      messages: [
        { ...CALLED, tool_calls: [{ ...CALL, id: 'abcDEF123' }] },
        { ...RESULT, tool_call_id: 'abcDEF123' },
      ],
    },
    sent: 'unchanged',
  },
  {
    rule: 'Mistral wants the assistant after the results of tools',
    provider: 'mistral',
    model: 'mistral-large-latest',
    given: { messages: [{ ...RESULT, tool_call_id: 'abcDEF123' }, HI] },
    sent: {
      messages: [
        { ...RESULT, tool_call_id: 'abcDEF123' },
        { role: 'assistant', content: 'Noted.' },
        HI,
      ],
    },
  },
  {
    rule: "Mistral refuses others' reasoning and fields it does not know",
    provider: 'mistral',
    model: 'magistral-medium-latest',
    given: {
      messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b', refusal: null }, HI],
      seed: 4,
      logit_bias: {},
      user: 'u',
    },
    sent: { messages: [{ role: 'assistant', content: 'a' }, HI], random_seed: 4 },
  },
  {
    rule: 'Perplexity takes turns that alternate, and no top_p of 1',
    provider: 'perplexity',
    model: 'sonar',
    given: {
      top_p: 1,
      messages: [HI, { role: 'user', content: [{ type: 'text', text: 'Ho' }] }],
    },
    sent: {
      top_p: 0.99,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: 'Ho' },
          ],
        },
      ],
    },
  },
  {
    rule: 'Perplexity gets texts of neighbours as one text',
    provider: 'perplexity',
    model: 'sonar',
    given: { messages: [HI, { role: 'user', content: 'Ho' }] },
    sent: { messages: [{ role: 'user', content: 'Hi\n\nHo' }] },
  },
  {
    rule: 'Grok models that reason refuse penalties and stops',
    provider: 'xai',
    model: 'grok-4.7',
    given: { presence_penalty: 0.5, frequency_penalty: 0, stop: ['x'], ...effort('xhigh') },
    sent: { frequency_penalty: 0, ...effort('high') },
  },
  {
    rule: 'Grok models that do not reason take no effort',
    provider: 'xai',
    model: 'grok-4.20-non-reasoning',
    given: { presence_penalty: 0.5, ...effort('high') },
    sent: { presence_penalty: 0.5 },
  },
  {
    rule: 'Groq refuses log probabilities, names of speakers and reasoning in the history',
    provider: 'groq',
    model: 'openai/gpt-oss-120b',
    given: {
      logprobs: true,
      logit_bias: {},
      messages: [
        { ...HI, name: 'Ann' },
        { role: 'assistant', content: 'a', reasoning_content: 'b' },
      ],
    },
    sent: { messages: [HI, { role: 'assistant', content: 'a' }] },
  },
  {
    rule: 'Cerebras refuses penalties',
    provider: 'cerebras',
    model: 'gpt-oss-120b',
    given: { presence_penalty: 0, frequency_penalty: 0, temperature: 0.2 },
    sent: { temperature: 0.2 },
  },
  {
    rule: 'OpenRouter gets the body as it is: usage comes unasked',
    provider: 'openrouter',
    model: 'openai/gpt-6.2-sol',
    stream: true,
    given: { stream: true, reasoning: { effort: 'low' }, provider: { order: ['x'] } },
    sent: 'unchanged',
  },
];

test.each(RULES)('$provider: $rule', ({ provider, model, given, sent, stream, isListed }) => {
  const row = PROVIDERS.find(({ slug }) => slug === provider);
  if (row === undefined) throw new Error(`no provider ${provider}`);
  const body: JsonObject = { model, ...given };
  const before = JSON.stringify(body);
  const shaped = shapeBody(row, 'chat', body, {
    upstreamModel: model,
    stream: stream ?? false,
    isListed: isListed ?? true,
  });
  expect(shaped).toEqual(sent === 'unchanged' ? sent : { model, ...sent });
  expect(JSON.stringify(body), 'the input is left alone').toBe(before);
});
