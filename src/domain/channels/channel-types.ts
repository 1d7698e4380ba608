/**
 * Channel types: the stored number, the display name and the slug used by `--type`. Numbers up to
 * 49 are fixed by existing installations; this project's own start at 1001. `src/providers` defines
 * the API of each type.
 */
/** The kind of service, used to group types in selection lists. */
export const CHANNEL_KINDS = ['maker', 'cloud', 'own', 'application', 'relay'] as const;

export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export interface ChannelType {
  readonly kind: ChannelKind;
  readonly name: string;
  /** Lower case, never all digits: a slug must not read as a number. */
  readonly slug: string;
  /** Alternative names that users may type. */
  readonly aliases?: readonly string[];
}

export const CHANNEL_TYPES = {
  1: { kind: 'maker', name: 'OpenAI', slug: 'openai' },
  2: { kind: 'application', name: 'Midjourney Proxy', slug: 'midjourney', aliases: ['mj'] },
  3: { kind: 'cloud', name: 'Azure OpenAI', slug: 'azure' },
  4: { kind: 'own', name: 'Ollama', slug: 'ollama' },
  5: {
    kind: 'application',
    name: 'Midjourney Proxy Plus',
    slug: 'midjourney-plus',
    aliases: ['mj-plus'],
  },
  6: { kind: 'relay', name: 'OpenAI Max', slug: 'openaimax' },
  7: { kind: 'relay', name: 'OhMyGPT', slug: 'ohmygpt' },
  8: { kind: 'own', name: 'Custom', slug: 'custom' },
  9: { kind: 'relay', name: 'CaipaCity', slug: 'caipacity', aliases: ['ails'] },
  10: { kind: 'relay', name: 'AI Proxy', slug: 'aiproxy' },
  11: { kind: 'maker', name: 'PaLM 2', slug: 'palm' },
  12: { kind: 'relay', name: 'API2GPT', slug: 'api2gpt' },
  13: { kind: 'relay', name: 'AIGC2D', slug: 'aigc2d' },
  14: { kind: 'maker', name: 'Claude', slug: 'claude', aliases: ['anthropic'] },
  15: { kind: 'maker', name: 'Baidu', slug: 'baidu', aliases: ['ernie'] },
  16: { kind: 'maker', name: 'Zhipu', slug: 'zhipu' },
  17: { kind: 'maker', name: 'Alibaba', slug: 'alibaba', aliases: ['dashscope', 'qwen'] },
  18: { kind: 'maker', name: 'iFlytek', slug: 'iflytek', aliases: ['spark', 'xunfei'] },
  19: { kind: 'maker', name: '360 AI', slug: 'ai360' },
  20: { kind: 'cloud', name: 'OpenRouter', slug: 'openrouter' },
  21: { kind: 'application', name: 'AI Proxy Library', slug: 'aiproxy-library' },
  22: { kind: 'application', name: 'FastGPT', slug: 'fastgpt' },
  23: { kind: 'maker', name: 'Tencent', slug: 'tencent', aliases: ['hunyuan'] },
  24: { kind: 'maker', name: 'Gemini', slug: 'gemini', aliases: ['google'] },
  25: { kind: 'maker', name: 'Moonshot', slug: 'moonshot', aliases: ['kimi'] },
  26: { kind: 'maker', name: 'Zhipu V4', slug: 'zhipu-v4', aliases: ['glm'] },
  27: { kind: 'cloud', name: 'Perplexity', slug: 'perplexity' },
  31: { kind: 'maker', name: 'Yi', slug: 'yi', aliases: ['lingyiwanwu', '01ai'] },
  33: { kind: 'cloud', name: 'AWS Claude', slug: 'aws', aliases: ['bedrock'] },
  34: { kind: 'maker', name: 'Cohere', slug: 'cohere' },
  35: { kind: 'maker', name: 'MiniMax', slug: 'minimax' },
  36: { kind: 'application', name: 'Suno', slug: 'suno' },
  37: { kind: 'application', name: 'Dify', slug: 'dify' },
  38: { kind: 'maker', name: 'Jina', slug: 'jina' },
  39: { kind: 'cloud', name: 'Cloudflare', slug: 'cloudflare', aliases: ['workers-ai'] },
  40: { kind: 'cloud', name: 'SiliconCloud', slug: 'siliconflow', aliases: ['siliconcloud'] },
  41: { kind: 'cloud', name: 'Vertex AI', slug: 'vertex' },
  42: { kind: 'maker', name: 'Mistral', slug: 'mistral' },
  43: { kind: 'maker', name: 'DeepSeek', slug: 'deepseek' },
  44: { kind: 'maker', name: 'M3E', slug: 'm3e', aliases: ['moka'] },
  45: { kind: 'maker', name: 'Volcengine', slug: 'volcengine', aliases: ['ark', 'doubao'] },
  46: { kind: 'maker', name: 'Baidu V2', slug: 'baidu-v2', aliases: ['qianfan'] },
  47: { kind: 'own', name: 'Xinference', slug: 'xinference' },
  48: { kind: 'maker', name: 'xAI', slug: 'xai', aliases: ['grok'] },
  49: { kind: 'cloud', name: 'GitHub Models', slug: 'github', aliases: ['github-models'] },
  1001: { kind: 'cloud', name: 'Groq', slug: 'groq' },
  1002: { kind: 'cloud', name: 'Together', slug: 'together' },
  1003: { kind: 'cloud', name: 'Fireworks', slug: 'fireworks' },
  1004: { kind: 'cloud', name: 'Cerebras', slug: 'cerebras' },
  1005: { kind: 'cloud', name: 'DeepInfra', slug: 'deepinfra' },
  1006: { kind: 'cloud', name: 'Novita', slug: 'novita' },
  1007: { kind: 'cloud', name: 'NVIDIA NIM', slug: 'nvidia' },
  1008: { kind: 'cloud', name: 'Hugging Face', slug: 'huggingface', aliases: ['hf'] },
  1009: { kind: 'maker', name: 'StepFun', slug: 'stepfun' },
  1010: { kind: 'maker', name: 'Baichuan', slug: 'baichuan' },
  1011: { kind: 'cloud', name: 'ModelScope', slug: 'modelscope' },
  1012: { kind: 'own', name: 'vLLM', slug: 'vllm' },
  1013: { kind: 'application', name: 'Coze', slug: 'coze' },
  1014: { kind: 'cloud', name: 'SambaNova', slug: 'sambanova' },
  1015: { kind: 'cloud', name: 'Nebius', slug: 'nebius' },
  1016: { kind: 'cloud', name: 'Hyperbolic', slug: 'hyperbolic' },
  1017: { kind: 'cloud', name: 'Vercel AI Gateway', slug: 'vercel' },
  1018: { kind: 'maker', name: 'Voyage AI', slug: 'voyage' },
  1019: { kind: 'own', name: 'LM Studio', slug: 'lmstudio' },
  1020: { kind: 'own', name: 'llama.cpp', slug: 'llamacpp' },
  1021: { kind: 'own', name: 'SGLang', slug: 'sglang' },
  1022: { kind: 'own', name: 'Text Generation Inference', slug: 'tgi' },
  1023: { kind: 'cloud', name: 'Replicate', slug: 'replicate' },
  1024: { kind: 'application', name: 'Kling', slug: 'kling' },
} as const satisfies Readonly<Record<number, ChannelType>>;

export interface NumberedChannelType extends ChannelType {
  readonly type: number;
}

/** All types, ordered by number. */
export const CHANNEL_TYPE_LIST: readonly NumberedChannelType[] = Object.entries<ChannelType>(
  CHANNEL_TYPES,
).map(([type, row]) => ({ ...row, type: Number(type) }));

const BY_NUMBER = new Map(CHANNEL_TYPE_LIST.map((row) => [row.type, row]));

/** Aliases first, so that a slug or a name always overrides another type's alias. */
const BY_WORD = new Map([
  ...CHANNEL_TYPE_LIST.flatMap((row) => (row.aliases ?? []).map((word) => [word, row] as const)),
  ...CHANNEL_TYPE_LIST.map((row) => [row.name.toLowerCase(), row] as const),
  ...CHANNEL_TYPE_LIST.map((row) => [row.slug, row] as const),
]);

/** Finds a type by number (`43`, `'43'`), slug, name or alias, ignoring case. */
export function channelTypeOf(nameOrNumber: string | number): NumberedChannelType | undefined {
  if (typeof nameOrNumber === 'number') return BY_NUMBER.get(nameOrNumber);
  const word = nameOrNumber.trim().toLowerCase();
  return BY_WORD.get(word) ?? (/^\d+$/.test(word) ? BY_NUMBER.get(Number(word)) : undefined);
}

/** The display name; an unknown number yields a name such as `type 77`. */
export function channelTypeName(type: number): string {
  return BY_NUMBER.get(type)?.name ?? `type ${type}`;
}
