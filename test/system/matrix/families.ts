/**
 * The families of upstreams, one row each: providers with a protocol of their own. All other
 * providers use the protocol of one of these.
 */

import { AWS_KEY } from '../../support/cloud-credentials.ts';
import { UPSTREAM_KEY } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';

export interface FamilyRow {
  readonly name: string;
  readonly label: string;
  /** Channel type, as in `src/providers`. */
  readonly type: number;
  readonly model: string;
  /** Fields of the channel beyond those every channel has. */
  readonly channel?: { readonly other?: string };
  /** The key, if it has several parts; `account` is the service account that the fake upstream accepts. */
  readonly key?: (account: string) => string;
  /** Receives the whole conversation, with the system prompt, as one text. */
  readonly takesOneText?: true;
  /** How it describes an image, if not by its size. */
  readonly picture?: string;
  /** Every frame reports the usage so far, so nothing is estimated. */
  readonly countsInFrames?: true;
  /** Never reports usage. */
  readonly reportsNoUsage?: true;
  /** The fake upstream's plan for how its responses differ from OpenAI's. */
  readonly plan?: Plan;
}

/** Usage comes with the last content, whether requested or not. */
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
    reportsNoUsage: true,
  },
];
