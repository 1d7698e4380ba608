/** All dialects by name; the relay looks up the client's and the upstream's dialect here. */
import { ANTHROPIC } from './anthropic/messages.ts';
import { BAIDU } from './baidu/wenxin.ts';
import { COHERE } from './cohere/chat.ts';
import { CONVERSE } from './converse/converse.ts';
import { COZE } from './coze/chat.ts';
import { DIFY } from './dify/app.ts';
import { GEMINI } from './gemini/generate-content.ts';
import type { Dialect, DialectName, UpstreamDialect, UpstreamDialectName } from './hub/dialect.ts';
import { HUNYUAN } from './hunyuan/chat-completions.ts';
import { LIBRARY } from './library/library.ts';
import { OLLAMA } from './ollama/chat.ts';
import { CHAT } from './openai/chat/chat.ts';
import { RESPONSES } from './responses/responses.ts';

export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  chat: CHAT,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  responses: RESPONSES,
};

/** The dialect of the call's client; chat by default. */
export function clientDialect({ dialect = 'chat' }: { readonly dialect?: DialectName }): Dialect {
  return DIALECTS[dialect];
}

/** The dialects available for upstreams. */
export const UPSTREAM_DIALECTS: Readonly<Record<UpstreamDialectName, UpstreamDialect>> = {
  ...DIALECTS,
  converse: CONVERSE,
  dify: DIFY,
  coze: COZE,
  ollama: OLLAMA,
  baidu: BAIDU,
  hunyuan: HUNYUAN,
  library: LIBRARY,
  cohere: COHERE,
};
