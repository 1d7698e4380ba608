/** Infers a model's vendor from its name, for grouping and filtering model lists. */

/** The first matching row wins. Names are in lower case and without the part before the slash. */
const VENDORS: readonly (readonly [vendor: string, beginning: RegExp])[] = [
  [
    'OpenAI',
    /^(gpt|chatgpt|o[1-9](-|$)|dall-e|text-embedding-|tts-|whisper|davinci|babbage|codex|sora|omni-moderation|text-moderation)/,
  ],
  ['Anthropic', /^claude/],
  ['Google', /^(gemini|gemma|palm|imagen|veo|learnlm)/],
  ['DeepSeek', /^deepseek/],
  ['Alibaba', /^(qwen|qwq|qvq|tongyi|wan[0-9x])/],
  ['xAI', /^grok/],
  ['Meta', /^(llama|meta-llama)/],
  ['Mistral', /^(mistral|mixtral|ministral|codestral|pixtral|magistral|devstral|open-mi)/],
  ['Moonshot', /^(moonshot|kimi)/],
  ['Zhipu', /^(glm|chatglm|cogview|cogvideo)/],
  ['ByteDance', /^(doubao|seedream|seedance)/],
  ['Baidu', /^(ernie|eb-)/],
  ['Tencent', /^hunyuan/],
  ['MiniMax', /^(minimax|abab)/],
  ['Yi', /^yi-/],
  ['Cohere', /^(command|c4ai|embed-|rerank-)/],
  ['Midjourney', /^mj_/],
  ['Suno', /^suno/],
];

export const OTHER_VENDOR = '';

/** The vendors that names are recognized of, each with a number for programs, from 1. */
export const VENDOR_NUMBERS: ReadonlyMap<string, number> = new Map(
  VENDORS.map(([vendor], at) => [vendor, at + 1]),
);

/** `claude-sonnet-4`, also with `anthropic/`, yields Anthropic; unknown names `OTHER_VENDOR`. */
export function vendorOf(model: string): string {
  const bare = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  return VENDORS.find(([, beginning]) => beginning.test(bare))?.[0] ?? OTHER_VENDOR;
}

export interface VendorModels {
  readonly vendor: string;
  readonly models: readonly string[];
}

/** Groups models by vendor in alphabetical order, unknown vendors last; models keep their order. */
export function modelsByVendor(models: readonly string[]): VendorModels[] {
  const groups = new Map<string, string[]>();
  for (const model of models) {
    const vendor = vendorOf(model);
    const group = groups.get(vendor);
    if (group === undefined) groups.set(vendor, [model]);
    else group.push(model);
  }
  return [...groups]
    .map(([vendor, models]) => ({ vendor, models }))
    .sort((a, b) => rank(a.vendor) - rank(b.vendor) || a.vendor.localeCompare(b.vendor, 'en'));
}

function rank(vendor: string): number {
  return vendor === OTHER_VENDOR ? 1 : 0;
}
