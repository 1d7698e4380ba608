/**
 * The families of upstreams, one row each: a provider that is spoken to in a way of its own. Providers
 * not named here are spoken to like the family they belong to.
 */

import { AWS_KEY } from '../support/cloud-credentials.ts';
import { UPSTREAM_KEY } from '../support/site.ts';
import type { Plan } from '../upstream/plans/plan.ts';

export interface FamilyRow {
  readonly name: string;
  readonly label: string;
  /** Channel type, as in `src/providers`. */
  readonly type: number;
  readonly model: string;
  /** Fields of the channel beyond those every channel has. */
  readonly channel?: { readonly other?: string };
  /** Where it is not one text; `account`: the service account that the fake upstream knows. */
  readonly key?: (account: string) => string;
  /** The whole conversation reaches it as one text, system prompt and all. */
  readonly takesOneText?: true;
  /** How it names the picture it was sent, where that is not by its bytes. */
  readonly picture?: string;
  /** Every frame reports the counts so far, so nothing has to be estimated. */
  readonly countsInFrames?: true;
  /** It never says how much was used. */
  readonly tellsNoCounts?: true;
  /** How its answers differ from OpenAI's, in the words of the fake upstream. */
  readonly plan?: Plan;
}

/** Counts come with the last words, whether asked for or not. */
const UNASKED_USAGE: Plan = { usage: 'on-choice' };

export const FAMILIES: readonly FamilyRow[] = [
  { name: 'openai', label: 'OpenAI', type: 1, model: 'gpt-5.4-mini' },
  {
    name: 'azure',
    label: 'Azure OpenAI',
    type: 3,
    model: 'gpt-5.4-mini',
    channel: { other: '2024-10-21' },
  },
  {
    name: 'openrouter',
    label: 'OpenRouter',
    type: 20,
    model: 'openai/gpt-6.2-sol',
    plan: UNASKED_USAGE,
  },
  { name: 'moonshot', label: 'Moonshot', type: 25, model: 'kimi-k3' },
  { name: 'alibaba', label: 'Alibaba', type: 17, model: 'qwen3.8-max' },
  { name: 'deepseek', label: 'DeepSeek', type: 43, model: 'deepseek-v4-pro' },
  {
    name: 'mistral',
    label: 'Mistral',
    type: 42,
    model: 'magistral-medium-latest',
    plan: UNASKED_USAGE,
  },
  { name: 'anthropic', label: 'Anthropic', type: 14, model: 'claude-sonnet-4-5' },
  { name: 'gemini', label: 'Gemini', type: 24, model: 'gemini-3.1-pro-preview' },
  {
    name: 'bedrock-claude',
    label: 'Claude on Bedrock',
    type: 33,
    model: 'claude-sonnet-4-5',
    key: () => AWS_KEY,
  },
  {
    name: 'bedrock-nova',
    label: 'Other models on Bedrock',
    type: 33,
    model: 'nova-pro',
    key: () => AWS_KEY,
  },
  {
    name: 'vertex',
    label: 'Vertex',
    type: 41,
    model: 'gemini-3.1-pro-preview',
    channel: { other: 'us-central1' },
    key: (account) => account,
  },
  {
    name: 'ollama',
    label: 'Ollama, its own interface',
    type: 4,
    model: 'llama3.3',
    channel: { other: 'native' },
  },
  { name: 'cohere', label: 'Cohere', type: 34, model: 'command-a-reasoning-08-2025' },
  {
    name: 'hunyuan',
    label: 'Hunyuan, signed',
    type: 23,
    model: 'hunyuan-turbos-latest',
    countsInFrames: true,
    key: () => `100|AKIDtest|${UPSTREAM_KEY}`,
  },
  {
    name: 'baidu',
    label: 'Wenxin',
    type: 15,
    model: 'ERNIE-4.0-8K',
    key: () => `ak-1|${UPSTREAM_KEY}`,
  },
  {
    name: 'dify',
    label: 'Dify',
    type: 37,
    model: 'app',
    takesOneText: true,
    picture: 'image at fake-file-id',
  },
  {
    name: 'coze',
    label: 'Coze',
    type: 1013,
    model: 'app',
    channel: { other: 'fake-bot' },
    picture: 'image at fake-file-id',
  },
  {
    name: 'library',
    label: 'AI Proxy library',
    type: 21,
    model: 'app',
    channel: { other: 'fake-library' },
    takesOneText: true,
    tellsNoCounts: true,
  },
];
