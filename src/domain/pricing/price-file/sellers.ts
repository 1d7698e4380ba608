/** Which provider of a catalogue sells its own models, and which hosts have a provider type. */

export const PRICE_LISTS = ['models.dev', 'genai-prices', 'litellm'] as const;

export type PriceList = (typeof PRICE_LISTS)[number];

export type ProviderTable = Readonly<Record<string, string>>;

/** Makers whose providers have the same name in most catalogues. */
export const SAME_NAMES: ProviderTable = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  deepseek: 'deepseek',
  xai: 'xai',
  mistral: 'mistral',
  moonshotai: 'moonshotai',
  minimax: 'minimax',
  zai: 'zai',
};

/** Provider to maker. Of two providers of a maker, the first is the one billed in USD. */
export const MAKER_PROVIDERS: Readonly<Record<PriceList, ProviderTable>> = {
  'models.dev': {
    ...SAME_NAMES,
    zhipuai: 'zai',
    alibaba: 'alibaba',
    'alibaba-cn': 'alibaba',
    cohere: 'cohere',
    perplexity: 'perplexity',
    'stepfun-ai': 'stepfun',
    stepfun: 'stepfun',
    'tencent-tokenhub': 'tencent',
    volcengine: 'volcengine',
    meta: 'meta',
    xiaomi: 'xiaomi',
    ai21: 'ai21',
    inception: 'inception',
    upstage: 'upstage',
    poolside: 'poolside',
    arcee: 'arcee',
    longcat: 'meituan',
    sakana: 'sakana',
    thinkingmachines: 'thinkingmachines',
  },
  'genai-prices': {
    openai: 'openai',
    anthropic: 'anthropic',
    google: 'google',
    deepseek: 'deepseek',
    'x-ai': 'xai',
    mistral: 'mistral',
    moonshotai: 'moonshotai',
    minimax: 'minimax',
    cohere: 'cohere',
    perplexity: 'perplexity',
    voyageai: 'voyage',
  },
  litellm: {
    openai: 'openai',
    'text-completion-openai': 'openai',
    anthropic: 'anthropic',
    gemini: 'google',
    deepseek: 'deepseek',
    xai: 'xai',
    mistral: 'mistral',
    moonshot: 'moonshotai',
    minimax: 'minimax',
    zai: 'zai',
    dashscope: 'alibaba',
    volcengine: 'volcengine',
    cohere: 'cohere',
    cohere_chat: 'cohere',
    perplexity: 'perplexity',
    voyage: 'voyage',
    jina_ai: 'jina',
    amazon_nova: 'amazon',
  },
};

/** Provider to the slug of our provider type, which the prices of hosts are conditional on. */
export const HOST_PROVIDERS: Readonly<Record<PriceList, ProviderTable>> = {
  'models.dev': {
    groq: 'groq',
    cerebras: 'cerebras',
    togetherai: 'together',
    'fireworks-ai': 'fireworks',
    'amazon-bedrock': 'aws',
    'cloudflare-workers-ai': 'cloudflare',
    deepinfra: 'deepinfra',
    'novita-ai': 'novita',
    'siliconflow-cn': 'siliconflow',
    siliconflow: 'siliconflow',
    nebius: 'nebius',
    'google-vertex': 'vertex',
    azure: 'azure',
    mistral: 'mistral',
    alibaba: 'alibaba',
    volcengine: 'volcengine',
  },
  'genai-prices': {
    groq: 'groq',
    cerebras: 'cerebras',
    fireworks: 'fireworks',
    together: 'together',
    novita: 'novita',
  },
  litellm: {
    groq: 'groq',
    cerebras: 'cerebras',
    together_ai: 'together',
    fireworks_ai: 'fireworks',
    deepinfra: 'deepinfra',
    novita: 'novita',
    nebius: 'nebius',
    sambanova: 'sambanova',
    hyperbolic: 'hyperbolic',
    cloudflare: 'cloudflare',
    bedrock_converse: 'aws',
  },
};
