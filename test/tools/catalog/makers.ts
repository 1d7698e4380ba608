/** Which provider of each catalogue sells its own models, and which hosts have a provider type. */
import {
  HOST_PROVIDERS as MODELS_DEV_HOSTS,
  MAKER_PROVIDERS as MODELS_DEV_MAKERS,
} from '../../../src/domain/pricing/price-file/sellers.ts';

/** Newest first. */
export const CATALOGUES = ['pi-ai', 'models.dev', 'genai-prices', 'litellm'] as const;

export type Catalogue = (typeof CATALOGUES)[number];

/** With the licence, which the figures are published under. */
export const TITLES: Readonly<Record<Catalogue, string>> = {
  'pi-ai': 'pi-ai (npm @earendil-works/pi-ai, MIT)',
  'models.dev': 'models.dev (MIT)',
  'genai-prices': 'genai-prices (npm @pydantic/genai-prices, MIT)',
  litellm: 'LiteLLM (MIT)',
};

type ProviderTable = Readonly<Record<string, string>>;

/** Provider to maker. Of two providers of a maker, the first is the one billed in USD. */
export const MAKER_PROVIDERS: Readonly<Record<Catalogue, ProviderTable>> = {
  'models.dev': MODELS_DEV_MAKERS,
  'pi-ai': {
    openai: 'openai',
    anthropic: 'anthropic',
    google: 'google',
    deepseek: 'deepseek',
    xai: 'xai',
    mistral: 'mistral',
    moonshotai: 'moonshotai',
    minimax: 'minimax',
    zai: 'zai',
    meta: 'meta',
    xiaomi: 'xiaomi',
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

/** Provider to the slug of our provider type, which prices of open models are conditional on. */
export const HOST_PROVIDERS: Readonly<Record<Catalogue, ProviderTable>> = {
  'models.dev': MODELS_DEV_HOSTS,
  'pi-ai': {
    groq: 'groq',
    cerebras: 'cerebras',
    together: 'together',
    fireworks: 'fireworks',
    'amazon-bedrock': 'aws',
    'cloudflare-workers-ai': 'cloudflare',
    mistral: 'mistral',
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

const MAKER_NAMES: readonly (readonly [name: RegExp, maker: string])[] = [
  [/^(chat)?gpt-|^o[134](-|$)|^(dall-e|whisper|tts-1|codex|computer-use|chat-latest)/, 'openai'],
  [/^(text-embedding-(3|ada)|(omni|text)-moderation|davinci|babbage)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^(gemini|gemma|imagen|veo|lyria|palm|deep-research|text-embedding-00)/, 'google'],
  [/^deepseek/, 'deepseek'],
  [/^(kimi|moonshot)/, 'moonshotai'],
  [/^(glm|zai-glm|cogview|embedding-3$)/, 'zai'],
  [/^(qwen|qwq|qvq|tongyi|wan\d|gte-|text-embedding-v)/, 'alibaba'],
  [/^(doubao|seed-)/, 'volcengine'],
  [/^(minimax|image-01$|abab)/, 'minimax'],
  [/^(hy\d|hunyuan)/, 'tencent'],
  [/^(ernie|embedding-v1)/, 'baidu'],
  [/^grok/, 'xai'],
  [
    /^(open-)?(mi[sx]tral|mixtral|magistral|codestral|devstral|ministral|pixtral|voxtral|labs-)/,
    'mistral',
  ],
  [/^(command|embed-|rerank-v|c4ai|north-)/, 'cohere'],
  [/^sonar/, 'perplexity'],
  [/^jina/, 'jina'],
  [/^(voyage|rerank-\d)/, 'voyage'],
  [/^(llama|meta-llama|muse-)/, 'meta'],
  [/^mimo/, 'xiaomi'],
  [/^step/, 'stepfun'],
  [/^nemotron/, 'nvidia'],
  [/^nova-/, 'amazon'],
  [/^granite/, 'ibm'],
  [/^phi-/, 'microsoft'],
  [/^(bge-)/, 'baai'],
  [/^(mj_|swap_face)/, 'midjourney'],
  [/^suno/, 'suno'],
  [/^flux/, 'black-forest-labs'],
  [/^kling/, 'kling'],
  [/^360|^embedding_s1/, '360'],
  [/^(lite|generalv3|pro-128k|generalv3.5|max-32k|4.0ultra|x1)$/, 'iflytek'],
  [/^yi-/, '01ai'],
  [/^baichuan/, 'baichuan'],
  [/^m3e/, 'moka'],
  [/^inkling/, 'thinkingmachines'],
  [/^hermes/, 'nousresearch'],
  [/^fugu/, 'sakana'],
  [/^nomic/, 'nomic'],
  [/^tao-8k/, 'baidu'],
  [/^laguna/, 'poolside'],
  [/^trinity/, 'arcee'],
  [/^ling-/, 'inclusionai'],
];

/** The maker by the form of the name, which also tells a maker's own models from hosted ones. */
export function makerOfName(name: string): string | undefined {
  const known = name.toLowerCase();
  return MAKER_NAMES.find(([pattern]) => pattern.test(known))?.[1];
}
