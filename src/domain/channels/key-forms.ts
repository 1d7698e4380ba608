/** The services whose keys have a form of their own, by which a channel type can be proposed. */
import { channelTypeOf, type NumberedChannelType } from './channel-types.ts';

/** By slug. A form that other services share, such as a plain `sk-...`, is no sign. */
const FORMS: Readonly<Record<string, RegExp>> = {
  claude: /^sk-ant-/,
  openrouter: /^sk-or-/,
  openai: /^sk-(proj|svcacct|admin)-/,
  gemini: /^(AIza[\w-]{35}$|AQ\.)/,
  vertex: /^\s*\{[\s\S]*"private_key"/,
  aws: /^(AKIA|ASIA)[A-Z0-9]{16}\|/,
  xai: /^xai-/,
  groq: /^gsk_/,
  perplexity: /^pplx-/,
  github: /^(ghp_|github_pat_)/,
  huggingface: /^hf_/,
  replicate: /^r8_/,
  nvidia: /^nvapi-/,
  fireworks: /^fw_/,
  cerebras: /^csk-/,
  together: /^tgp_v1_/,
  voyage: /^pa-/,
  jina: /^jina_/,
  vercel: /^vck_/,
  dify: /^app-/,
  coze: /^(pat|sat)_/,
  'baidu-v2': /^bce-v3\//,
  'zhipu-v4': /^[0-9a-f]{32}\.\w{16}$/,
};

/** The type of the service that the key belongs to; undefined if its form does not say. */
export function typeOfKey(key: string): NumberedChannelType | undefined {
  const found = Object.entries(FORMS).find(([, form]) => form.test(key));
  return found && channelTypeOf(found[0]);
}
