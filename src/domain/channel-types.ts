/**
 * Channel types: the number that is stored, the name people read and the slug of `--type`. Numbers
 * up to 49 are fixed by existing installations; our own begin at 1001. How a type is spoken to is
 * in `src/providers`.
 */
export interface ChannelType {
  readonly name: string;
  /** Lower case, never all digits: a slug must not read as a number. */
  readonly slug: string;
  /** Other words people type for it. */
  readonly aliases?: readonly string[];
}

export const CHANNEL_TYPES = {
  1: { name: 'OpenAI', slug: 'openai' },
  2: { name: 'Midjourney Proxy', slug: 'midjourney', aliases: ['mj'] },
  3: { name: 'Azure OpenAI', slug: 'azure' },
  4: { name: 'Ollama', slug: 'ollama' },
  5: { name: 'Midjourney Proxy Plus', slug: 'midjourney-plus', aliases: ['mj-plus'] },
  6: { name: 'OpenAI Max', slug: 'openaimax' },
  7: { name: 'OhMyGPT', slug: 'ohmygpt' },
  8: { name: 'Custom', slug: 'custom' },
  9: { name: 'CaipaCity', slug: 'caipacity', aliases: ['ails'] },
  10: { name: 'AI Proxy', slug: 'aiproxy' },
  11: { name: 'PaLM 2', slug: 'palm' },
  12: { name: 'API2GPT', slug: 'api2gpt' },
  13: { name: 'AIGC2D', slug: 'aigc2d' },
  14: { name: 'Claude', slug: 'claude', aliases: ['anthropic'] },
  15: { name: 'Baidu', slug: 'baidu', aliases: ['ernie'] },
  16: { name: 'Zhipu', slug: 'zhipu' },
  17: { name: 'Alibaba', slug: 'alibaba', aliases: ['dashscope', 'qwen'] },
  18: { name: 'iFlytek', slug: 'iflytek', aliases: ['spark', 'xunfei'] },
  19: { name: '360 AI', slug: 'ai360' },
  20: { name: 'OpenRouter', slug: 'openrouter' },
  21: { name: 'AI Proxy Library', slug: 'aiproxy-library' },
  22: { name: 'FastGPT', slug: 'fastgpt' },
  23: { name: 'Tencent', slug: 'tencent', aliases: ['hunyuan'] },
  24: { name: 'Gemini', slug: 'gemini', aliases: ['google'] },
  25: { name: 'Moonshot', slug: 'moonshot', aliases: ['kimi'] },
  26: { name: 'Zhipu V4', slug: 'zhipu-v4', aliases: ['glm'] },
  27: { name: 'Perplexity', slug: 'perplexity' },
  31: { name: 'Yi', slug: 'yi', aliases: ['lingyiwanwu', '01ai'] },
  33: { name: 'AWS Claude', slug: 'aws', aliases: ['bedrock'] },
  34: { name: 'Cohere', slug: 'cohere' },
  35: { name: 'MiniMax', slug: 'minimax' },
  36: { name: 'Suno', slug: 'suno' },
  37: { name: 'Dify', slug: 'dify' },
  38: { name: 'Jina', slug: 'jina' },
  39: { name: 'Cloudflare', slug: 'cloudflare', aliases: ['workers-ai'] },
  40: { name: 'SiliconCloud', slug: 'siliconflow', aliases: ['siliconcloud'] },
  41: { name: 'Vertex AI', slug: 'vertex' },
  42: { name: 'Mistral', slug: 'mistral' },
  43: { name: 'DeepSeek', slug: 'deepseek' },
  44: { name: 'M3E', slug: 'm3e', aliases: ['moka'] },
  45: { name: 'Volcengine', slug: 'volcengine', aliases: ['ark', 'doubao'] },
  46: { name: 'Baidu V2', slug: 'baidu-v2', aliases: ['qianfan'] },
  47: { name: 'Xinference', slug: 'xinference' },
  48: { name: 'xAI', slug: 'xai', aliases: ['grok'] },
  49: { name: 'GitHub Models', slug: 'github', aliases: ['github-models'] },
  1001: { name: 'Groq', slug: 'groq' },
  1002: { name: 'Together', slug: 'together' },
  1003: { name: 'Fireworks', slug: 'fireworks' },
  1004: { name: 'Cerebras', slug: 'cerebras' },
  1005: { name: 'DeepInfra', slug: 'deepinfra' },
  1006: { name: 'Novita', slug: 'novita' },
  1007: { name: 'NVIDIA NIM', slug: 'nvidia' },
  1008: { name: 'Hugging Face', slug: 'huggingface', aliases: ['hf'] },
  1009: { name: 'StepFun', slug: 'stepfun' },
  1010: { name: 'Baichuan', slug: 'baichuan' },
  1011: { name: 'ModelScope', slug: 'modelscope' },
  1012: { name: 'vLLM', slug: 'vllm' },
} as const satisfies Readonly<Record<number, ChannelType>>;

export type ChannelSlug = (typeof CHANNEL_TYPES)[keyof typeof CHANNEL_TYPES]['slug'];

export interface NumberedChannelType extends ChannelType {
  readonly type: number;
}

/** All types in the order of their numbers. */
export const CHANNEL_TYPE_LIST: readonly NumberedChannelType[] = Object.entries<ChannelType>(
  CHANNEL_TYPES,
).map(([type, row]) => ({ ...row, type: Number(type) }));

const BY_NUMBER = new Map(CHANNEL_TYPE_LIST.map((row) => [row.type, row]));

/** Aliases first, so that a slug or a name always beats another type's alias. */
const BY_WORD = new Map([
  ...CHANNEL_TYPE_LIST.flatMap((row) => (row.aliases ?? []).map((word) => [word, row] as const)),
  ...CHANNEL_TYPE_LIST.map((row) => [row.name.toLowerCase(), row] as const),
  ...CHANNEL_TYPE_LIST.map((row) => [row.slug, row] as const),
]);

/** A type by number (`43`, `'43'`), slug, name or alias, in any case. `undefined` when unknown. */
export function channelTypeOf(nameOrNumber: string | number): NumberedChannelType | undefined {
  if (typeof nameOrNumber === 'number') return BY_NUMBER.get(nameOrNumber);
  const word = nameOrNumber.trim().toLowerCase();
  return BY_WORD.get(word) ?? (/^\d+$/.test(word) ? BY_NUMBER.get(Number(word)) : undefined);
}

/** The name to show; a number without a row reads `type 77`. */
export function channelTypeName(type: number): string {
  return BY_NUMBER.get(type)?.name ?? `type ${type}`;
}
