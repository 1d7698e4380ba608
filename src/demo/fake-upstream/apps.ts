/** Services with a protocol of their own; each refuses fields it does not know. */
import type { App } from './app.ts';
import { coze, library } from './app-bots.ts';
import { hunyuan, wenxin } from './app-china.ts';
import { cohere } from './app-cohere.ts';
import { dify, workflow } from './app-dify.ts';
import { ollama } from './app-ollama.ts';

export const APPS: Readonly<Record<string, App>> = {
  dify,
  workflow,
  coze,
  ollama,
  wenxin,
  hunyuan,
  library,
  cohere,
};
